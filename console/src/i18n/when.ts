// Instants as they are said: a time of today, or with its date.
import { useFormat } from './format';

export function useWhen(): (instant: number) => string {
  const format = useFormat();
  return (instant) => {
    const then = new Date(instant);
    return format.shortDate(then) === format.shortDate(new Date())
      ? format.clock(then)
      : format.dateTime(then);
  };
}
