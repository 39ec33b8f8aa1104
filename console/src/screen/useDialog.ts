// Which dialog of a page is open, kept in its URL: `?new`, or `?edit=` and an id; `?new-zone` where a page has several. What a
// new thing begins with stands there too, as `?new=` and a query of its own.
import { useSearchParams } from 'react-router';

export function useDialog(what?: string) {
  const [newKey, editKey] = what ? [`new-${what}`, `edit-${what}`] : ['new', 'edit'];
  const [search, setSearch] = useSearchParams();
  const go = (change: (next: URLSearchParams) => void) => {
    const next = new URLSearchParams(search);
    next.delete(newKey);
    next.delete(editKey);
    change(next);
    setSearch(next, { replace: true });
  };
  return {
    isNew: search.has(newKey),
    begin: Object.fromEntries(new URLSearchParams(search.get(newKey) ?? '')),
    editId: search.get(editKey),
    add: () => go((next) => next.set(newKey, '')),
    addWith: (begin: Record<string, string>) =>
      go((next) => next.set(newKey, new URLSearchParams(begin).toString())),
    edit: (id: string) => go((next) => next.set(editKey, id)),
    close: () => go(() => {}),
  };
}
