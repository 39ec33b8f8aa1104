// What stands for the person in the head of the page: the same before and after the menu that opens from it has come, so that
// nothing beside it moves, STOP least of all.
import { useFarms } from '../../api/farms';
import { useSession } from '../../api/session';
import { initial } from '../../i18n/format';
import { useRoleName } from '../../i18n/roles';
import classes from './Header.module.css';

/** Name and role of who is signed in. */
export function usePerson(): { name: string; role: string } | undefined {
  const session = useSession();
  const { current } = useFarms();
  const roleName = useRoleName();
  if (session.state !== 'authenticated') return undefined;
  const { user } = session;
  return { name: user.name || user.email || '', role: roleName(current?.role ?? user.role) };
}

export const personClass = `${classes['button']} ${classes['person']}`;

export function PersonFace({ name, role }: { name: string; role: string }) {
  return (
    <>
      <span className={classes['initial']} aria-hidden>
        {initial(name)}
      </span>
      <span className={classes['personText']}>
        <span className={classes['personName']}>{name}</span> <span className={classes['role']}>{role}</span>
      </span>
    </>
  );
}

/** Its place until the menu has come. */
export function PersonPlace() {
  const person = usePerson();
  return (
    <span className={personClass} aria-hidden>
      {person && <PersonFace {...person} />}
    </span>
  );
}
