import { MantineProvider } from '@mantine/core';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { cameraProblem } from './camera';
import { MacField } from './MacField';

const stopped = vi.fn();
const stream = { getTracks: () => [{ stop: stopped }] };

/** A browser with a camera that shows `seen`, or refuses. */
function browser({
  seen = [],
  refuses,
  lent = 'prompt',
}: {
  seen?: string[];
  refuses?: string;
  lent?: string;
}) {
  vi.stubGlobal(
    'BarcodeDetector',
    class {
      static getSupportedFormats = async () => ['qr_code', 'code_128', 'pdf417'];
      detect = async () => seen.map((rawValue) => ({ rawValue }));
    },
  );
  const getUserMedia = () =>
    refuses ? Promise.reject(new DOMException('no', refuses)) : Promise.resolve(stream);
  for (const [name, value] of [
    ['mediaDevices', { getUserMedia }],
    ['permissions', { query: async () => ({ state: lent }) }],
  ] as const)
    Object.defineProperty(navigator, name, { configurable: true, value });
  vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue();
}

afterEach(() => {
  Reflect.deleteProperty(navigator, 'mediaDevices');
  Reflect.deleteProperty(navigator, 'permissions');
  vi.restoreAllMocks();
  stopped.mockReset();
});

function show(auto = false) {
  const found = vi.fn();
  render(
    <MantineProvider>
      <MacField auto={auto} value="" onChange={() => {}} onFound={found} />
    </MantineProvider>,
  );
  return found;
}
const scan = () => screen.findByRole('button', { name: 'Scan the code on the controller' });

describe('the code on a controller', () => {
  it('is read by the camera, which is given back', async () => {
    browser({ seen: ['HARIT:aa:bb:cc:dd:ee:ff'] });
    const found = show();
    await userEvent.click(await scan());
    await waitFor(() => expect(found).toHaveBeenCalledWith('AABBCCDDEEFF'));
    await waitFor(() => expect(stopped).toHaveBeenCalled());
  });

  it('opens by itself where the camera was lent before, and only there', async () => {
    browser({ seen: ['AABBCCDDEEFF'], lent: 'granted' });
    const found = show(true);
    await waitFor(() => expect(found).toHaveBeenCalledWith('AABBCCDDEEFF'));
  });

  it('stays closed where it was not lent', async () => {
    browser({ seen: ['AABBCCDDEEFF'] });
    const found = show(true);
    await scan();
    expect(found).not.toHaveBeenCalled();
  });

  it('says so when it is another code', async () => {
    browser({ seen: ['https://example.com'] });
    const found = show();
    await userEvent.click(await scan());
    await screen.findByText(/This code has no MAC in it/);
    expect(found).not.toHaveBeenCalled();
  });

  it('says what to do when the camera is refused, and asks again', async () => {
    browser({ refuses: 'NotAllowedError' });
    show();
    await userEvent.click(await scan());
    const said = await screen.findByRole('alert');
    expect(said.textContent).toContain('The camera is blocked for this page');
    browser({ seen: ['AABBCCDDEEFF'] });
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  });

  it('can be typed instead', async () => {
    browser({ refuses: 'NotFoundError' });
    show();
    await userEvent.click(await scan());
    await screen.findByText(/No camera was found/);
    await userEvent.click(screen.getByRole('button', { name: 'Type it instead' }));
    expect(document.activeElement).toBe(screen.getByRole('textbox'));
  });

  it.each([
    ['NotAllowedError', 'refused'],
    ['NotReadableError', 'busy'],
    ['NotFoundError', 'none'],
    ['OverconstrainedError', 'none'],
  ])('%s means %s', (name, state) => expect(cameraProblem(new DOMException('', name))).toBe(state));
});
