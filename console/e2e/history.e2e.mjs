// Histories in a real browser against the real server: charts of the simulated farm, and a controller whose backlog has a gap.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FARM } from './api.mjs';
import { accessibilityProblems, tooWide, until } from './browser.mjs';
import { fieldController } from './controller.mjs';
import { DESK, PHONE, stage } from './stage.mjs';

const MINUTE = 60_000;

/** A polyhouse with more sensors than anybody would ask for one by one. */
const MANY = 200;

let field;
let crowd;

const { ask, open } = stage({
  who: 'viewer',
  still: true,
  within: 30_000,
  prepare: async () => {
    field = await fieldController(ask, {
      name: 'House with a gap',
      mac: 'AA:BB:CC:00:33:01',
      sensors: [{ id: 'gap-temp', type: 'temperature', unit: '°C' }],
      devices: [],
    });
    // Old readings go to history alone. From two hours ago to one hour ago, without 20 minutes in the middle.
    const now = Date.now();
    for (let minute = 120; minute >= 60; minute -= 1) {
      if (minute < 100 && minute > 80) continue;
      await field.measure(
        { id: 'gap-temp', type: 'temperature', latestValue: 20 + (minute % 7) },
        now - minute * MINUTE,
      );
    }
    const sensors = Array.from({ length: MANY }, (_, n) => ({
      id: `many-${n}`,
      type: n % 2 === 0 ? 'temperature' : 'humidity',
      unit: n % 2 === 0 ? '°C' : '%',
    }));
    crowd = await fieldController(ask, {
      name: 'House with many sensors',
      mac: 'AA:BB:CC:00:33:02',
      sensors,
      devices: [],
    });
    for (let minute = 180; minute >= 60; minute -= 2)
      await crowd.measure(
        sensors.map(({ id, type }, n) => ({ id, type, latestValue: 20 + (n % 9) + (minute % 5) })),
        now - minute * MINUTE,
      );
  },
  cleanup: () => {
    field?.close();
    crowd?.close();
  },
});

const lines = (page) => page.locator('.recharts-line-curve');

/** Waits until a sensor has been measuring in two steps of a minute. */
const twoSteps = (sensor) =>
  until(
    'the demo measures',
    async () => (await ask('viewer', 'GET', `${FARM}/sensors/${sensor}/history`)).points.length >= 2,
    150_000,
  );

describe('history', { timeout: 300_000 }, () => {
  it('leaves a gap a gap', async () => {
    const { page, complaints } = await open({ path: '/history?span=6h' });
    const place = page.getByLabel('Place');
    await place.locator('option', { hasText: 'House with a gap' }).first().waitFor({ state: 'attached' });
    await place.selectOption({ label: 'House with a gap' });
    await page.waitForURL(/polyhouse=/);
    await page.getByText(/1 gap without readings, 1\d min long/).waitFor();
    await lines(page).waitFor({ state: 'attached' });
    const path = await lines(page).getAttribute('d');
    assert.equal(path.match(/M/g).length, 2, 'the line is in two pieces');
    await page.getByText('Show as table').click();
    await page.getByRole('cell', { name: 'No reading' }).first().waitFor();
    assert.deepEqual(complaints, []);
  });

  for (const viewport of [DESK, PHONE]) {
    it(`names thresholds where neither the line nor another name is: ${viewport.width} px`, async () => {
      const { page, complaints } = await open({ path: '/history?polyhouse=polyhouse-1&span=6h', viewport });
      await page.locator('figure svg text:not(.recharts-text)').nth(3).waitFor({ state: 'attached' });
      const charts = await page.locator('figure svg.recharts-surface').evaluateAll((all) =>
        all.map((svg) => {
          const box = (of) => of.getBoundingClientRect();
          const plot = box(svg.querySelector('.recharts-cartesian-grid'));
          const names = [...svg.querySelectorAll('text:not(.recharts-text)')].map(box);
          return {
            end: plot.right,
            edge: box(svg).right,
            names: names.map(({ left, right, top, bottom }) => ({ left, right, top, bottom })),
          };
        }),
      );
      assert.ok(charts.flatMap(({ names }) => names).length >= 4);
      for (const { end, edge, names } of charts) {
        for (const [nth, { left, right, top }] of names.entries()) {
          assert.ok(left >= end && right <= edge, `${left} to ${right} between ${end} and ${edge}`);
          // Lines of text may touch: their boxes are higher than what is written in them.
          assert.ok(nth === 0 || top > names[nth - 1].bottom - 4);
        }
      }
      assert.deepEqual(complaints, []);
    });
  }

  it('keeps what is shown in the address', async () => {
    const { page, complaints } = await open({ path: '/history?zone=zone-1a&polyhouse=polyhouse-1&span=7d' });
    await page.getByRole('heading', { name: 'Soil moisture', level: 2 }).waitFor();
    assert.equal(await page.getByRole('heading', { level: 2 }).count(), 1);
    assert.equal(await page.getByRole('radio', { name: '7 days' }).isChecked(), true);
    await page.getByRole('radio', { name: '30 days' }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL(/span=24h/);
    await page.reload();
    await page.getByRole('heading', { name: 'Soil moisture', level: 2 }).waitFor();
    assert.equal(await page.getByRole('radio', { name: '24 hours' }).isChecked(), true);
    assert.deepEqual(complaints, []);
  });

  it('is reached from the dashboard and from a device, which is measured where it stands', async () => {
    const dashboard = await open({ path: '/dashboard' });
    await dashboard.page.getByRole('link', { name: 'History of pH' }).click();
    await dashboard.page.waitForURL('**/history?type=ph');
    await dashboard.page.getByRole('heading', { name: 'pH', level: 2 }).waitFor();
    const panel = await open({ path: '/automation/manual?device=ph1-drip-a', who: 'manager' });
    await panel.page.locator('[data-panel]').getByRole('link', { name: 'History' }).click();
    await panel.page.waitForURL('**/history?device=ph1-drip-a');
    await panel.page.getByRole('heading', { name: 'Soil moisture', level: 2 }).waitFor();
    // Its zone has no thermometer: that of the polyhouse counts, and the page says so.
    await panel.page.getByText('Measured at Polyhouse 1 (Capsicum)').first().waitFor();
    assert.deepEqual([...dashboard.complaints, ...panel.complaints], []);
  });

  it('draws what the demo measured, with the limits of its rules', async () => {
    const { page, complaints } = await open({ path: '/history?polyhouse=polyhouse-1&span=6h' });
    // A line needs two steps of a minute, and the demo may just have begun.
    await twoSteps('ph1-temp-1');
    await page.reload();
    await page.getByRole('heading', { name: 'Temperature', level: 2 }).waitFor();
    await page.getByRole('heading', { name: 'CO₂', level: 2 }).waitFor();
    await lines(page).first().waitFor({ state: 'attached' });
    const summary = await page.locator('figure [role=img]').first().getAttribute('aria-label');
    assert.match(summary, /^On average [\d.]+ °C; lowest [\d.]+ °C \(.+\), highest [\d.]+ °C \(.+\)\./);
    const limits = page.getByRole('list', { name: 'Rule thresholds' }).first();
    assert.match(await limits.textContent(), /> 32 °C.*starts Cool Polyhouse 1/);
    await page.locator('.recharts-reference-line-line').nth(1).waitFor({ state: 'attached' });
    await page.getByLabel('Reading').selectOption('ph');
    await page.waitForURL(/type=ph/);
    await until('only what was chosen', async () =>
      assert.deepEqual(await page.getByRole('heading', { level: 2 }).allTextContents(), ['pH']),
    );
    assert.deepEqual(complaints, []);
  });

  it('tells when a device was on, and why', async () => {
    const sent = await ask('owner', 'POST', `${FARM}/commands`, {
      cmd_type: 'pulse',
      device_id: 'ph1-drip-b',
      action: { duration_sec: 2 },
    });
    assert.equal(sent.status, 'ack');
    const { page, complaints } = await open({ path: '/history?device=ph1-drip-b&span=6h' });
    await page.getByRole('heading', { name: 'Drip valve, Zone B', level: 2 }).waitFor();
    await page.getByRole('img', { name: /^On (once|\d+ times), for / }).waitFor();
    await page.getByText('On periods').click();
    await page.getByRole('row', { name: /Sunita Jadhav/ }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(complaints, []);
  });

  for (const [language, each, viewport] of [
    ['en', 'Each sensor (100)', DESK],
    ['hi', 'हर सेंसर (100)', PHONE],
    ['mr', 'प्रत्येक सेन्सर (१००)', PHONE],
    ['mr', 'प्रत्येक सेन्सर (१००)', DESK],
  ]) {
    it(`shows 200 sensors in one request, and stays responsive: ${language}, ${viewport.width} px`, async () => {
      const polyhouses = await ask('viewer', 'GET', `${FARM}/polyhouses`);
      const { id } = polyhouses.find(({ name }) => name === 'House with many sensors');
      const { page, complaints } = await open({ language, viewport });
      const asked = [];
      page.on('request', (request) => {
        if (new URL(request.url()).pathname.endsWith('/history') && request.resourceType() === 'fetch')
          asked.push(request.url());
      });
      await page.goto(`/history?polyhouse=${id}&span=6h`);
      await page.locator('.recharts-line-curve').nth(1).waitFor({ state: 'attached' });
      // Connecting live loads what is on screen once more: one question all the same, whatever the number of sensors.
      assert.equal(new Set(asked).size, 1, asked.join('\n'));
      assert.ok(asked.length <= 2, asked.join('\n'));
      // Another span is another view: one request more.
      await page.locator('input[name=span]').nth(1).check({ force: true });
      await page.waitForURL(/span=24h/);
      await until('asked once more', async () => assert.equal(new Set(asked).size, 2));
      // How long a frame takes while all rows of all sensors are made.
      await page.evaluate(() => {
        window.longest = 0;
        let before = performance.now();
        const frame = (now) => {
          window.longest = Math.max(window.longest, now - before);
          before = now;
          requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
      });
      await page.getByText(each).first().click();
      const rows = page.getByRole('region', { name: each }).getByRole('row');
      await until('all rows', async () => assert.equal(await rows.count(), MANY / 2 + 1));
      const longest = await page.evaluate(() => window.longest);
      assert.ok(longest < 1_500, `a frame took ${longest} ms`);
      assert.ok((await tooWide(page)) <= 0, 'nothing is wider than the screen');
      assert.equal(new Set(asked).size, 2);
      assert.ok(asked.length <= 4, asked.join('\n'));
      assert.deepEqual(complaints, []);
    });
  }

  for (const [language, title] of [
    ['en', 'History'],
    ['hi', 'पिछला हाल'],
    ['mr', 'मागील माहिती'],
  ]) {
    it(`speaks ${language}, and leaves axe nothing to say`, async () => {
      for (const [scheme, viewport] of [
        ['light', PHONE],
        ['dark', DESK],
      ]) {
        const { page, complaints } = await open({
          path: '/history?polyhouse=polyhouse-2&span=6h',
          language,
          scheme,
          viewport,
        });
        await page.getByRole('heading', { name: title, level: 1 }).waitFor();
        await page.locator('.recharts-surface').first().waitFor();
        await page.locator('details summary').first().click();
        assert.deepEqual(await accessibilityProblems(page), [], scheme);
        assert.ok((await tooWide(page)) <= 0, 'nothing is wider than the screen');
        assert.deepEqual(complaints, []);
      }
    });
  }
});
