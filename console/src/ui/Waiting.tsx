// The whole screen waits.
import { Logo } from './Logo';
import classes from './Waiting.module.css';

export function Waiting({ text }: { text: string }) {
  return (
    <div className={classes['waiting']} role="status">
      <Logo size={72} rising />
      {text}
    </div>
  );
}
