//! Formulas that people write: expressions over named numbers, in a language that can do nothing else.
//!
//! The language is rhai with what a formula has no use for left out of the build, and with loops, printing and evaluation of text
//! refused when a formula is read; so one evaluation takes no more operations than the formula is long, and far fewer than the limit
//! on them, which is there for what nobody thought of. Whole numbers divide as numbers do: 1/2 is 0.5. The result is a number; a truth is 1 or 0.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use rhai::{AST, Dynamic, Engine, EvalAltResult, Position, Scope};

use crate::air;
use crate::{MAX_DEPTH, MAX_FORMULA_BYTES, MAX_OPERATIONS};

/// What text in a formula may have, in bytes: formulas have no use for it.
const MAX_TEXT_BYTES: usize = 64;
/// What a formula may name of its own.
const MAX_VARIABLES: usize = 64;

/// What is wrong with a formula, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FormulaError {
    /// What, in English: the words of the language are.
    pub message: String,
    /// The line, from 1; none where it is no one place.
    pub line: Option<usize>,
    /// The character in the line, from 1.
    pub column: Option<usize>,
}

impl FormulaError {
    fn new(message: String, at: Position) -> Self {
        Self {
            message,
            line: at.line(),
            column: at.position(),
        }
    }
}

/// A formula that was read.
#[derive(Debug, Clone)]
pub struct Formula {
    text: String,
    ast: AST,
}

impl PartialEq for Formula {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Formula {
    /// Reads a formula over these names.
    ///
    /// # Errors
    /// When it is no expression, or names what there is not.
    pub fn new(text: &str, names: &BTreeSet<&str>) -> Result<Self, FormulaError> {
        if text.len() > MAX_FORMULA_BYTES {
            let message = format!("a formula has at most {MAX_FORMULA_BYTES} bytes");
            return Err(FormulaError::new(message, Position::NONE));
        }
        let mut scope = Scope::new();
        for name in names {
            scope.push_constant(*name, 0.0_f64);
        }
        let ast = LANGUAGE
            .compile_with_scope(&scope, text)
            .map_err(|e| FormulaError::new(e.err_type().to_string(), e.position()))?;
        Ok(Self {
            text: text.to_owned(),
            ast,
        })
    }

    /// Its value with these numbers; none where it has none, such as a division by zero.
    ///
    /// # Errors
    /// When it is stopped, calls what there is not, or what it computes is no number.
    pub fn value<'a>(
        &self,
        numbers: impl Iterator<Item = (&'a str, f64)>,
    ) -> Result<Option<f64>, FormulaError> {
        let mut scope = Scope::new();
        for (name, number) in numbers {
            scope.push_constant(name, number);
        }
        let result = LANGUAGE
            .eval_ast_with_scope::<Dynamic>(&mut scope, &self.ast)
            .map_err(|e| failed(*e))?;
        let wrong = || {
            let message = format!("the result is no number but {}", result.type_name());
            FormulaError::new(message, Position::NONE)
        };
        let value = number(&result).ok_or_else(wrong)?;
        Ok(value.is_finite().then_some(value))
    }
}

#[allow(clippy::cast_precision_loss, reason = "numbers that people type")]
fn number(value: &Dynamic) -> Option<f64> {
    let whole = || value.as_int().ok().map(|n| n as f64);
    let truth = || value.as_bool().ok().map(|b| f64::from(u8::from(b)));
    value.as_float().ok().or_else(whole).or_else(truth)
}

fn failed(error: EvalAltResult) -> FormulaError {
    let at = error.position();
    let mut error = error;
    error.clear_position();
    FormulaError::new(error.to_string(), at)
}

static LANGUAGE: LazyLock<Engine> = LazyLock::new(language);

fn language() -> Engine {
    let mut engine = Engine::new_raw();
    engine
        .set_max_operations(MAX_OPERATIONS)
        .set_max_expr_depths(MAX_DEPTH)
        .set_max_string_size(MAX_TEXT_BYTES)
        .set_max_variables(MAX_VARIABLES)
        .set_max_strings_interned(0)
        .set_strict_variables(true)
        .set_allow_looping(false)
        // or the operators below would not be asked
        .set_fast_operators(false);
    for symbol in [
        "eval", "print", "debug", "type_of", "loop", "while", "do", "for", "in", "try", "catch",
        "throw", "return", "switch",
    ] {
        engine.disable_symbol(symbol);
    }
    operators(&mut engine);
    functions(&mut engine);
    engine
}

#[allow(clippy::cast_precision_loss, reason = "numbers that people type")]
fn operators(engine: &mut Engine) {
    engine.register_fn("/", |a: i64, b: i64| a as f64 / b as f64);
    engine.register_fn("**", |a: i64, b: i64| libm::pow(a as f64, b as f64));
    engine.register_fn("**", |a: f64, b: i64| libm::pow(a, b as f64));
    engine.register_fn("**", |a: i64, b: f64| libm::pow(a as f64, b));
    engine.register_fn("**", libm::pow);
    engine.register_fn("-", |a: i64| -(a as f64));
    engine.register_fn("-", |a: f64| -a);
    engine.register_fn("+", |a: i64| a as f64);
    engine.register_fn("+", |a: f64| a);
    // whole numbers do not overflow: they are numbers as all others
    engine.register_fn("+", |a: i64, b: i64| a as f64 + b as f64);
    engine.register_fn("-", |a: i64, b: i64| a as f64 - b as f64);
    engine.register_fn("*", |a: i64, b: i64| a as f64 * b as f64);
    engine.register_fn("%", |a: i64, b: i64| libm::fmod(a as f64, b as f64));
    engine.register_fn("!", |a: bool| !a);
}

/// Registers functions of so many numbers, whole or not.
macro_rules! numbers {
    ($engine:ident, $($name:literal ($($arg:ident),+) $body:expr;)+) => {$(
        numbers!(@ $engine, $name, $body, ($($arg),+));
    )+};
    (@ $engine:ident, $name:literal, $body:expr, ($a:ident)) => {
        $engine.register_fn($name, move |$a: f64| -> f64 { $body });
        $engine.register_fn($name, move |$a: i64| -> f64 { let $a = $a as f64; $body });
    };
    (@ $engine:ident, $name:literal, $body:expr, ($a:ident, $b:ident)) => {
        $engine.register_fn($name, move |$a: f64, $b: f64| -> f64 { $body });
        $engine.register_fn($name, move |$a: i64, $b: f64| -> f64 { let $a = $a as f64; $body });
        $engine.register_fn($name, move |$a: f64, $b: i64| -> f64 { let $b = $b as f64; $body });
        $engine.register_fn($name, move |$a: i64, $b: i64| -> f64 { let ($a, $b) = ($a as f64, $b as f64); $body });
    };
}

/// What formulas call. What is not known is NaN, and so is what follows from it: the result is unknown then.
#[allow(clippy::cast_precision_loss, reason = "numbers that people type")]
fn functions(engine: &mut Engine) {
    let unknown = f64::NAN;
    numbers! { engine,
        "abs" (a) libm::fabs(a);
        "sqrt" (a) libm::sqrt(a);
        "exp" (a) libm::exp(a);
        "ln" (a) libm::log(a);
        "log10" (a) libm::log10(a);
        "sin" (a) libm::sin(a);
        "cos" (a) libm::cos(a);
        "tan" (a) libm::tan(a);
        "floor" (a) libm::floor(a);
        "ceil" (a) libm::ceil(a);
        "round" (a) libm::round(a);
        "min" (a, b) if a.is_nan() { a } else { b.min(if b.is_nan() { b } else { a }) };
        "max" (a, b) if a.is_nan() { a } else { b.max(if b.is_nan() { b } else { a }) };
        "svp" (a) air::saturation_pressure(a).unwrap_or(unknown);
        "vpd" (a, b) air::vapour_pressure_deficit(a, b).unwrap_or(unknown);
        "dew_point" (a, b) air::dew_point(a, b).unwrap_or(unknown);
        "absolute_humidity" (a, b) air::absolute_humidity(a, b).unwrap_or(unknown);
    }
}
