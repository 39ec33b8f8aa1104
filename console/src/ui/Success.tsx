// It worked: a panel that stands for a moment before the next page opens.
import Check from '~icon/CircleCheck';
import classes from './Success.module.css';

export function Success({ title, text }: { title: string; text?: string }) {
  return (
    <section className={classes['success']} role="status">
      <Check size={72} stroke={1.5} aria-hidden />
      <h1>{title}</h1>
      {text && <p>{text}</p>}
    </section>
  );
}
