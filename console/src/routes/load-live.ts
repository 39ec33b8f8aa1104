// The code of the live connection, which both layouts of a farm want after the first values.
import type { LoadLive } from '../api/live-status';
import { untilLoaded } from '../ui/later';

export const loadLive: LoadLive = () => untilLoaded(() => import('../api/live'));
