// A button that takes a text to the clipboard, and says for a moment that it did.
import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import Copy from '~icon/Copy';

const SAID_MS = 2_000;

interface Props {
  text: string;
  word: string;
  /** What is copied, for those who do not see what it stands beside. */
  label: string;
  copiedWord: string;
}

export function CopyButton({ text, word, label, copiedWord }: Props) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <Button
      variant="default"
      leftSection={<Copy size={18} aria-hidden />}
      aria-label={copied ? copiedWord : label}
      onClick={async ({ currentTarget }) => setCopied(await copy(text, currentTarget))}
    >
      <span aria-live="polite">{copied ? copiedWord : word}</span>
    </Button>
  );
}

/** Whether it worked. The browser's clipboard exists only behind TLS, which a server on a farm's network may not have. */
async function copy(text: string, button: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    // Beside the button: a window lets the focus go nowhere else.
    button.after(field);
    field.select();
    const copied = document.execCommand('copy');
    field.remove();
    button.focus();
    return copied;
  }
}
