// What is left when a page breaks: words and a way on.
import { Button } from '@mantine/core';
import { Component, type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import { Notice } from '../ui/Notice';
import classes from './crash.module.css';
import { endStart } from './start';

/** Draws what lies inside, or that it broke; another page begins anew. */
export function CrashBoundary({ children }: { children: ReactNode }) {
  return <Boundary at={useLocation().key}>{children}</Boundary>;
}

interface Props {
  /** Where the person is. */
  at: string;
  children: ReactNode;
}

class Boundary extends Component<Props, { brokeAt: string | undefined }> {
  override state = { brokeAt: undefined };

  static getDerivedStateFromError() {
    return { brokeAt: '' };
  }

  static getDerivedStateFromProps({ at }: Props, { brokeAt }: { brokeAt: string | undefined }) {
    if (brokeAt === '') return { brokeAt: at };
    return brokeAt !== undefined && brokeAt !== at ? { brokeAt: undefined } : null;
  }

  override render() {
    return this.state.brokeAt === undefined ? this.props.children : <Crash />;
  }
}

function Crash() {
  const { t } = useTranslation();
  useEffect(endStart, []);
  return (
    <div className={classes['page']}>
      <Notice title={t('app.crashed')}>
        <Button onClick={() => window.location.reload()}>{t('app.reload')}</Button>
      </Notice>
    </div>
  );
}
