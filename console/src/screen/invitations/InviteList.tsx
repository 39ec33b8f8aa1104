// What became of each invite: still open, accepted by whom, run out or taken back.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import type { Role } from '../../api/farms';
import type { Invite } from '../../api/people';
import { useFormat } from '../../i18n/format';
import { asLanguage, ownNames } from '../../i18n/languages';
import { useRoleName } from '../../i18n/roles';
import rows from '../../ui/rows.module.css';
import { StatePill } from '../../ui/StatePill';
import type { Tone } from '../../ui/tone';
import { useAction } from '../useAction';
import classes from './invitations.module.css';

const tones = {
  open: 'quiet',
  accepted: 'good',
  expired: 'warn',
  withdrawn: 'quiet',
} as const satisfies Record<Invite['state'], Tone>;

interface Props {
  farmId: string;
  invites: readonly Invite[];
  /** The roles whose invites the person may make again and take back. */
  roles: readonly Role[];
  /** Makes an invite again, with a new link in place of the one before. */
  onAgain: (invite: Invite) => void;
}

export function InviteList({ farmId, invites, roles, onAgain }: Props) {
  const { t } = useTranslation();
  const roleName = useRoleName();
  const format = useFormat();
  const { run, busy } = useAction(farmId);
  const day = (at: number) => format.shortDate(new Date(at));
  const outcome = ({ state, expiresAt, acceptedAt, acceptedBy }: Invite) => {
    switch (state) {
      case 'open':
        return t('invitations.open', { date: day(expiresAt) });
      case 'accepted':
        return acceptedBy
          ? t('invitations.acceptedBy', { name: acceptedBy, date: day(acceptedAt ?? 0) })
          : t('invitations.accepted');
      case 'expired':
        return t('invitations.expired', { date: day(expiresAt) });
      case 'withdrawn':
        return t('invitations.withdrawn');
    }
  };
  if (invites.length === 0) return <p className={classes['about']}>{t('setup.nobodyInvited')}</p>;
  return (
    <ul className={rows['rows']}>
      {invites.map((invite) => {
        const { id, contact, role, languagePref, state } = invite;
        const language = asLanguage(languagePref);
        const manages = roles.includes(role);
        return (
          <li key={id}>
            <span>{contact}</span>
            <span className={classes['about']}>{roleName(role)}</span>
            <span className={classes['about']}>{language ? ownNames[language] : languagePref}</span>
            <StatePill tone={tones[state]} word={outcome(invite)} />
            {manages && state !== 'accepted' && (
              <Button
                variant="subtle"
                aria-label={t('invitations.againOf', { contact })}
                disabled={busy}
                onClick={() => onAgain(invite)}
              >
                {t('invitations.again')}
              </Button>
            )}
            {manages && state === 'open' && (
              <Button
                variant="subtle"
                color="var(--h-bad)"
                aria-label={t('setup.withdrawOf', { contact })}
                disabled={busy}
                onClick={() =>
                  run({
                    failed: t('error.revokeInvite'),
                    call: () =>
                      api.DELETE('/onboarding/invites/{id}', {
                        params: { path: { id }, query: { farmId } },
                      }),
                  })
                }
              >
                {t('setup.withdraw')}
              </Button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
