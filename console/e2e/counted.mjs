// What a person does with a page, counted: a tap is 1, a choice from a list of the system 2, a key 1. The seconds are those of
// the keystroke-level model, 1.6 a tap and 0.35 a key, without reading and scrolling.
import assert from 'node:assert/strict';
import { hold } from './browser.mjs';

const TAP_S = 1.6;
const KEY_S = 0.35;
/** Who is farther from something than this by the Tab key does not get there. */
const MOST_TABS = 120;

const seconds = ({ taps, keys }) => taps * TAP_S + keys * KEY_S;

/** The tasks that a file plays, and what each took. */
export function counter() {
  const rows = [];

  /** A task on a page; `most` taps it may take, and so many keys where they are limited too. */
  function task(page, name, { taps: most, keys: mostKeys } = {}) {
    const row = { name, taps: 0, keys: 0, most, mostKeys };
    rows.push(row);
    const press = async (key) => {
      row.keys += 1;
      await page.keyboard.press(key);
    };
    const isFocused = (locator) =>
      locator.evaluate((element) => element === document.activeElement).catch(() => false);
    return {
      row,
      tap: async (locator) => {
        await locator.click();
        row.taps += 1;
      },
      choose: async (locator, option) => {
        await locator.selectOption(option);
        row.taps += 2;
      },
      /** Where the cursor is. */
      type: async (text) => {
        row.keys += [...text].length;
        await page.keyboard.type(text);
      },
      press,
      /** Walks there by a key. */
      walk: async (locator, key = 'Tab') => {
        await locator.first().waitFor();
        for (let steps = 0; !(await isFocused(locator.first())); steps += 1) {
          assert.ok(steps < MOST_TABS, `${name}: ${locator} is reached by ${key}`);
          await press(key);
        }
      },
      /** One second on the button that stops. */
      hold: async (locator, opened) => {
        await hold(page, locator, opened);
        row.taps += 1;
      },
      /** It is done: no more than it may take. */
      done: () => {
        if (most !== undefined) assert.ok(row.taps <= most, `${name}: ${row.taps} taps, at most ${most}`);
        if (mostKeys !== undefined)
          assert.ok(row.keys <= mostKeys, `${name}: ${row.keys} keys, at most ${mostKeys}`);
        row.done = true;
      },
    };
  }

  /** The table in Markdown. */
  function print() {
    console.log('| task | taps | at most | keys | seconds |\n|---|---|---|---|---|');
    for (const row of rows) {
      const { name, taps, keys, most, done } = row;
      console.log(
        `| ${name}${done ? '' : ' (not done)'} | ${taps} | ${most ?? '–'} | ${keys} | ${seconds(row).toFixed(1)} |`,
      );
    }
  }

  return { task, print };
}
