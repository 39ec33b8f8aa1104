//! Which page of a list is asked for.

use crate::error::ApiError;
use crate::language::Text;

/// How many entries a page has where nothing is said.
const DEFAULT_SIZE: u32 = 20;

/// A page, from 1 on, and how many entries it has at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) number: u32,
    pub(super) size: u32,
}

impl Page {
    /// Reads what was asked, of pages that have at most so many entries.
    ///
    /// # Errors
    /// When there is no such page.
    pub(super) fn read(
        number: Option<u32>,
        size: Option<u32>,
        most: u32,
    ) -> Result<Self, ApiError> {
        let page = Self {
            number: number.unwrap_or(1),
            size: size.unwrap_or(DEFAULT_SIZE),
        };
        let refused = |field| ApiError::field(field, "out_of_range", Text::PageOutOfRange);
        if page.number == 0 {
            return Err(refused("page"));
        }
        if !(1..=most).contains(&page.size) {
            return Err(refused("pageSize"));
        }
        Ok(page)
    }

    /// How many entries come before it.
    pub(super) fn skip(self) -> u64 {
        u64::from(self.number - 1) * u64::from(self.size)
    }
}
