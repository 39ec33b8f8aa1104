//! The sensors of a column chunk as codes, so that each name is read once and not in every row.
//!
//! Parquet keeps names in a dictionary, and in the rows which of them is meant. The library's own reader for strings puts a
//! reference to the name in every row. Here its reader for integers reads the same pages: only the names in the dictionary
//! page are replaced by numbers. Pages that have names in their rows, as writers make them when a dictionary grows too large,
//! are rewritten with the numbers of those names.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor, Type as SchemaType};

use super::SENSOR;

/// Names that are decoded at once.
const BATCH: usize = 4_096;

/// A column chunk of names, as codes.
pub(super) type Coded = ColumnReaderImpl<Int32Type>;

/// A column chunk of names, as codes, and the names as they turn up: the first has code 0.
pub(super) fn open(
    column: &ColumnDescriptor,
    pages: Box<dyn PageReader>,
) -> Result<(Coded, Receiver<Box<[u8]>>)> {
    let (found, names) = channel();
    let as_type = |physical, levels| {
        let field = SchemaType::primitive_type_builder(SENSOR, physical).build()?;
        let path = column.path().clone();
        Ok::<_, ParquetError>(Arc::new(ColumnDescriptor::new(
            Arc::new(field),
            levels,
            0,
            path,
        )))
    };
    let levels = column.max_def_level();
    let mut codes = Codes {
        in_rows: as_type(Type::BYTE_ARRAY, levels)?,
        in_dictionary: as_type(Type::BYTE_ARRAY, 0)?,
        count: 0,
        of_rows: HashMap::new(),
        found,
    };
    let pages = pages.map(move |page| codes.replace(page?));
    let reader = Coded::new(as_type(Type::INT32, levels)?, Box::new(Pages(pages)));
    Ok((reader, names))
}

struct Codes {
    /// The column as it is, and the same without nulls.
    in_rows: ColumnDescPtr,
    in_dictionary: ColumnDescPtr,
    /// Codes that are given away.
    count: i32,
    /// The names of pages without a dictionary; one may be in the dictionary too and then has two codes.
    of_rows: HashMap<Box<[u8]>, i32>,
    found: Sender<Box<[u8]>>,
}

impl Codes {
    /// The page with codes instead of names.
    fn replace(&mut self, page: Page) -> Result<Page> {
        match page {
            Page::DictionaryPage {
                buf,
                num_values,
                encoding,
                is_sorted: _,
            } => {
                let entries = Page::DataPage {
                    buf,
                    num_values,
                    encoding: Encoding::PLAIN,
                    def_level_encoding: Encoding::RLE,
                    rep_level_encoding: Encoding::RLE,
                    statistics: None,
                };
                let mut codes = Vec::new();
                names(&self.in_dictionary.clone(), entries, |name| {
                    let code = self.add(name.data().into())?;
                    codes.extend_from_slice(&code.to_le_bytes());
                    Ok(())
                })?;
                Ok(Page::DictionaryPage {
                    buf: codes.into(),
                    num_values,
                    encoding,
                    is_sorted: false,
                })
            }
            page if matches!(
                page.encoding(),
                Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY
            ) =>
            {
                Ok(page)
            }
            page => self.replace_in_rows(page),
        }
    }

    fn replace_in_rows(&mut self, mut page: Page) -> Result<Page> {
        let column = self.in_rows.clone();
        let mut codes = levels(&page, column.max_def_level())?.to_vec();
        names(&column, page.clone(), |name| {
            let code = match self.of_rows.get(name.data()) {
                Some(code) => *code,
                None => {
                    let code = self.add(name.data().into())?;
                    self.of_rows.insert(name.data().into(), code);
                    code
                }
            };
            codes.extend_from_slice(&code.to_le_bytes());
            Ok(())
        })?;
        if let Page::DataPage { buf, encoding, .. } | Page::DataPageV2 { buf, encoding, .. } =
            &mut page
        {
            *buf = codes.into();
            *encoding = Encoding::PLAIN;
        }
        Ok(page)
    }

    fn add(&mut self, name: Box<[u8]>) -> Result<i32> {
        let code = self.count;
        let next = code.checked_add(1);
        self.count = next.ok_or_else(|| ParquetError::General("too many sensors".to_owned()))?;
        // Whoever reads the column has the other end.
        let _heard = self.found.send(name);
        Ok(code)
    }
}

/// The beginning of a data page, which says what is null.
fn levels(page: &Page, max: i16) -> Result<&[u8]> {
    let buf = page.buffer();
    let length = match page {
        Page::DataPageV2 {
            def_levels_byte_len,
            rep_levels_byte_len,
            ..
        } => u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len),
        Page::DataPage {
            def_level_encoding: Encoding::RLE,
            ..
        } if max > 0 => {
            let length = buf.first_chunk().map_or(0, |l| u32::from_le_bytes(*l));
            4 + u64::from(length)
        }
        // A bit a value.
        _ if max > 0 => u64::from(page.num_values().div_ceil(8)),
        _ => 0,
    };
    let length = usize::try_from(length).ok();
    length
        .and_then(|length| buf.get(..length))
        .ok_or_else(|| ParquetError::EOF("a page ends within its levels".to_owned()))
}

/// Reads the names in one page.
fn names(
    column: &ColumnDescPtr,
    page: Page,
    mut each: impl FnMut(&ByteArray) -> Result<()>,
) -> Result<()> {
    let page = Box::new(Pages(std::iter::once(Ok(page))));
    let mut reader = ColumnReaderImpl::<ByteArrayType>::new(column.clone(), page);
    let (mut levels, mut names) = (Vec::new(), Vec::new());
    loop {
        levels.clear();
        names.clear();
        let (rows, ..) = reader.read_records(BATCH, Some(&mut levels), None, &mut names)?;
        if rows == 0 {
            return Ok(());
        }
        names.iter().try_for_each(&mut each)?;
    }
}

/// Pages one after the other, as the library wants them.
struct Pages<I>(I);

impl<I: Iterator<Item = Result<Page>> + Send> Iterator for Pages<I> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

impl<I: Iterator<Item = Result<Page>> + Send> PageReader for Pages<I> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.next().transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        Err(ParquetError::NYI("looking ahead".to_owned()))
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.get_next_page().map(drop)
    }
}
