// Looks through the camera until it sees the code on a box; a photo of it does as well.
import { Button, FileButton, Loader } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Photo from '~icon/Camera';
import { readBox } from '../../api/controllers';
import { Banner } from '../../ui/Banner';
import { type CameraState, useCamera } from './camera';
import { type CodeReader, codeReader } from './reader';
import classes from './Scan.module.css';

/** Between two looks: reading one takes an old phone about as long. */
const LOOK_MS = 150;

interface Props {
  onFound: (mac: string) => void;
  /** To type it instead. */
  onClose: () => void;
}

const problems = {
  refused: 'scan.refused',
  none: 'scan.none',
  busy: 'scan.busy',
  insecure: 'scan.insecure',
} as const satisfies Partial<Record<CameraState, string>>;

export default function Scanner({ onFound, onClose }: Props) {
  const { t } = useTranslation();
  const { video, state, again } = useCamera();
  const [problem, setProblem] = useState<'scan.notABox' | 'scan.photoNone'>();
  const reader = useRef<Promise<CodeReader>>(undefined);
  const found = useRef(onFound);
  found.current = onFound;

  const read = useRef(async (picture: HTMLVideoElement | ImageBitmap) => {
    reader.current ??= codeReader();
    const texts = await (await reader.current)(picture);
    return { texts, mac: texts.map(readBox).find((mac) => mac !== undefined) };
  });

  useEffect(() => {
    if (state !== 'on') return;
    let timer: ReturnType<typeof setTimeout>;
    let closed = false;
    const look = async () => {
      // A picture that cannot be read is followed by the next one.
      const seen = video.current && (await read.current(video.current).catch(() => undefined));
      if (closed) return;
      if (seen?.mac) return found.current(seen.mac);
      if (seen && seen.texts.length > 0) setProblem('scan.notABox');
      timer = setTimeout(() => void look(), LOOK_MS);
    };
    void look();
    return () => {
      closed = true;
      clearTimeout(timer);
    };
  }, [state, video]);

  const fromPhoto = async (file: File | null) => {
    if (!file) return;
    setProblem(undefined);
    const picture = await createImageBitmap(file).catch(() => undefined);
    const seen = picture && (await read.current(picture).catch(() => undefined));
    picture?.close();
    if (seen?.mac) found.current(seen.mac);
    else setProblem(seen && seen.texts.length > 0 ? 'scan.notABox' : 'scan.photoNone');
  };

  const refusal = state in problems ? problems[state as keyof typeof problems] : undefined;
  return (
    <section className={classes['scanner']} aria-label={t('scan.open')}>
      {refusal === undefined && (
        <div className={classes['frame']} data-on={state === 'on'}>
          {/* The code is in front of the phone: there is nothing to hear and nobody to be described. */}
          <video ref={video} muted playsInline aria-hidden />
          {state === 'starting' && <Loader aria-hidden />}
        </div>
      )}
      {refusal === undefined && <p role="status">{t(state === 'on' ? 'scan.aim' : 'scan.starting')}</p>}
      {refusal !== undefined && (
        <Banner
          tone="warn"
          text={t(refusal)}
          {...(state !== 'insecure' && { action: { label: t('scan.again'), run: again } })}
        />
      )}
      {problem && <Banner tone="warn" text={t(problem)} />}
      <div className={classes['others']}>
        <FileButton accept="image/*" capture="environment" onChange={(file) => void fromPhoto(file)}>
          {(button) => (
            <Button variant="default" leftSection={<Photo size={20} aria-hidden />} {...button}>
              {t('scan.photo')}
            </Button>
          )}
        </FileButton>
        <Button variant="default" onClick={onClose}>
          {t('scan.type')}
        </Button>
      </div>
    </section>
  );
}
