// The whole screen waits.
import { Loader } from '@mantine/core';
import classes from './Waiting.module.css';

export function Waiting({ text }: { text: string }) {
  return (
    <div className={classes['waiting']} role="status">
      <Loader size="md" aria-hidden />
      {text}
    </div>
  );
}
