// The window with a secret that was just made. Once it is closed nothing shows it again.
import { Button } from '@mantine/core';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Banner } from '../../ui/Banner';
import { CopyButton } from '../../ui/CopyButton';
import { Dialog } from '../../ui/Dialog';
import type { Shown } from './queries';
import classes from './Tokens.module.css';

export function ShownOnce({ shown, onClose }: { shown: Shown | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  // While the window fades out it still shows what it was opened for.
  const last = useRef(shown);
  if (shown) last.current = shown;
  return (
    <Dialog
      opened={shown !== undefined}
      onClose={onClose}
      title={last.current?.name ?? ''}
      closeLabel={t('form.close')}
    >
      <div className={classes['shown']}>
        <Banner tone="warn" text={t('tokens.once')} />
        <dl>
          {last.current?.lines.map(({ what, text }) => (
            <div key={what}>
              <dt>{what}</dt>
              <dd>
                <code>{text}</code>
                <CopyButton
                  text={text}
                  word={t('form.copy')}
                  label={t('screen.controller.copyOf', { what })}
                  copiedWord={t('form.copied')}
                />
              </dd>
            </div>
          ))}
        </dl>
        <Button onClick={onClose}>{t('setup.noted')}</Button>
      </div>
    </Dialog>
  );
}
