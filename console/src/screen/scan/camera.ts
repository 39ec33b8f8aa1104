// The camera at the back of the phone, in a video element, as long as somebody looks through it.
import { type RefObject, useEffect, useRef, useState } from 'react';

/** `insecure`: browsers lend the camera only to pages that come over https. */
export type CameraState = 'starting' | 'on' | 'refused' | 'none' | 'busy' | 'insecure';

const WANTED: MediaStreamConstraints = {
  video: { facingMode: 'environment', width: { ideal: 1280 }, height: { ideal: 720 } },
};

/** Why there is no picture, from what the browser says. */
export function cameraProblem(error: unknown): CameraState {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'refused';
  return name === 'NotReadableError' || name === 'AbortError' ? 'busy' : 'none';
}

/** Whether the person has lent the camera before: then it may open by itself. */
export async function isCameraLent(): Promise<boolean> {
  if (!navigator.mediaDevices || !navigator.permissions) return false;
  try {
    // Not in every browser's list of names, nor in TypeScript's.
    const { state } = await navigator.permissions.query({ name: 'camera' as PermissionName });
    return state === 'granted';
  } catch {
    return false;
  }
}

export function useCamera(): {
  video: RefObject<HTMLVideoElement | null>;
  state: CameraState;
  again: () => void;
} {
  const video = useRef<HTMLVideoElement>(null);
  const [state, setState] = useState<CameraState>('starting');
  const [tries, setTries] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another try opens it again
  useEffect(() => {
    let stream: MediaStream | undefined;
    let closed = false;
    const stop = () => {
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
    const open = async () => {
      if (!navigator.mediaDevices) return setState(window.isSecureContext ? 'none' : 'insecure');
      try {
        stream = await navigator.mediaDevices.getUserMedia(WANTED);
        if (closed || !video.current) return stop();
        video.current.srcObject = stream;
        await video.current.play();
        if (!closed) setState('on');
      } catch (error) {
        // One that is taken away while it begins to play is no camera that refuses.
        if (!closed) setState(cameraProblem(error));
      }
    };
    void open();
    return () => {
      closed = true;
      stop();
    };
  }, [tries]);

  const again = () => {
    setState('starting');
    setTries((before) => before + 1);
  };
  return { video, state, again };
}
