// A page that has only something to say.
import type { ReactNode } from 'react';
import classes from './Notice.module.css';

interface Props {
  title: string;
  text?: string;
  children?: ReactNode;
}

export function Notice({ title, text, children }: Props) {
  return (
    <section className={classes['notice']}>
      <h1>{title}</h1>
      {text && <p>{text}</p>}
      {children}
    </section>
  );
}
