// Says of what is shown that it is not of now: nothing of it is then drawn as good.
import { createContext, type ReactNode, useContext } from 'react';

const Context = createContext<string | undefined>(undefined);

/** Of when what is shown is; undefined while it is of now. */
export const useAsOf = () => useContext(Context);

/** Gives what lies inside its time, said in words; what lies around it may be older still. */
export function AsOf({ value, children }: { value: string | undefined; children: ReactNode }) {
  const around = useAsOf();
  return <Context value={around ?? value}>{children}</Context>;
}
