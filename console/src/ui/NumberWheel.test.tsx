import { MantineProvider } from '@mantine/core';
import { fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { NumberWheel } from './NumberWheel';

function Shown({ given = '35', digits = String }: { given?: string; digits?: (value: number) => string }) {
  const [text, setText] = useState(given);
  return (
    <MantineProvider env="test">
      <NumberWheel
        label="Value"
        text={text}
        onText={setText}
        min={-10}
        max={50}
        step={0.5}
        start={30}
        told={digits}
        unit="°C"
        valueText={(value) => `${value} degrees`}
        lessLabel="Less"
        moreLabel="More"
        problem={undefined}
        problemId="p"
      />
      <output>{text}</output>
    </MantineProvider>
  );
}
const said = () => screen.getByRole('status').textContent;
const wheel = () => screen.getByRole<HTMLInputElement>('spinbutton', { name: 'Value' });

it('is a spinbutton to keys and screen readers', async () => {
  const person = userEvent.setup();
  render(<Shown />);
  expect(
    ['valuenow', 'valuemin', 'valuemax', 'valuetext'].map((name) => wheel().getAttribute(`aria-${name}`)),
  ).toEqual(['35', '-10', '50', '35 degrees']);
  await person.click(wheel());
  await person.keyboard('{ArrowUp}');
  expect(said()).toBe('35.5');
  await person.keyboard('{ArrowDown}{ArrowDown}{PageDown}');
  expect(said()).toBe('29.5');
});

it('is typed into, in the digits of the language, and says what is no number as it is', async () => {
  const person = userEvent.setup();
  const marathi = (value: number) => new Intl.NumberFormat('mr', { numberingSystem: 'deva' }).format(value);
  render(<Shown given="" digits={marathi} />);
  await person.type(wheel(), '३६.');
  expect([said(), wheel().value]).toEqual(['36', '३६.']);
  await person.type(wheel(), '५');
  expect(said()).toBe('36.5');
  await person.tab();
  expect(wheel().value).toBe('३६.५');
  await person.clear(wheel());
  await person.type(wheel(), '-');
  expect(said()).toBe('-');
});

it('is turned by a finger and by its buttons', async () => {
  const person = userEvent.setup();
  render(<Shown />);
  const turned = wheel().closest('[class*=wheel]') as HTMLElement;
  turned.setPointerCapture = () => {};
  fireEvent.pointerDown(turned, { clientY: 200, button: 0 });
  fireEvent.pointerMove(turned, { clientY: 200 - 44 });
  fireEvent.pointerMove(turned, { clientY: 200 - 88 });
  // Held still before it is let go, it does not run on.
  for (let rest = 0; rest < 3; rest += 1) fireEvent.pointerMove(turned, { clientY: 200 - 88 });
  fireEvent.pointerUp(turned, { clientY: 200 - 88 });
  expect(said()).toBe('36');
  await person.click(screen.getByRole('button', { name: 'Less' }));
  expect(said()).toBe('35.5');
  await person.click(screen.getByRole('button', { name: 'More' }));
  expect(said()).toBe('36');
});
