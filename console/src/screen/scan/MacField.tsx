// The MAC of a box: read from the code on it, or typed.
import { Button, Skeleton, TextInput, type TextInputProps } from '@mantine/core';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Scan from '~icon/Qrcode';
import { isCameraLent } from './camera';
import classes from './Scan.module.css';

/** Loaded on the first tap: most people type nothing and scan nothing on most days. */
const Scanner = lazy(() => import('./Scanner'));

interface Props extends TextInputProps {
  onFound: (mac: string) => void;
  /** Opens the camera by itself where it was lent before; elsewhere the field is ready to be typed in. */
  auto?: boolean;
}

export function MacField({ onFound, auto = false, ...input }: Props) {
  const { t } = useTranslation();
  const [scanning, setScanning] = useState(false);
  const [read, setRead] = useState<string>();
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => {
    if (!auto) return;
    let gone = false;
    void isCameraLent().then((lent) => {
      if (!lent || gone) return;
      setScanning(true);
      // The keyboard of a phone would cover what the camera sees.
      field.current?.blur();
    });
    return () => {
      gone = true;
    };
  }, [auto]);

  return (
    <div className={classes['field']}>
      {scanning ? (
        <Suspense fallback={<Skeleton height={240} radius="md" />}>
          <Scanner
            onFound={(mac) => {
              setScanning(false);
              setRead(mac);
              onFound(mac);
            }}
            onClose={() => {
              setScanning(false);
              field.current?.focus();
            }}
          />
        </Suspense>
      ) : (
        <Button
          variant="light"
          leftSection={<Scan size={22} aria-hidden />}
          onClick={() => setScanning(true)}
        >
          {t('scan.open')}
        </Button>
      )}
      <TextInput
        ref={field}
        data-autofocus={auto || undefined}
        label={t('setup.mac')}
        description={t('setup.macHint')}
        autoCapitalize="characters"
        autoComplete="off"
        spellCheck={false}
        {...input}
      />
      <p role="status" className={classes['read']}>
        {read !== undefined && read === input.value && t('scan.read', { mac: read })}
      </p>
    </div>
  );
}
