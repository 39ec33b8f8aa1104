// Onboarding, step 2 of 2: who works on the farm (spec 2.10).
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { answer, api } from '../../api/client';
import { useFarms } from '../../api/farms';
import { invitesQuery } from '../../api/people';
import { updateUser } from '../../api/session';
import { failedLoad, failureText } from '../../i18n/failure';
import { ControllerAccounts } from '../../screen/ControllerAccounts';
import { InviteForm } from '../../screen/invitations/InviteForm';
import { InviteList } from '../../screen/invitations/InviteList';
import { useInvite } from '../../screen/invitations/useInvite';
import { useNewControllers } from '../../screen/new-controllers';
import { Banner } from '../../ui/Banner';
import { Dialog } from '../../ui/Dialog';
import { Panel } from '../../ui/Panel';
import { Success } from '../../ui/Success';
import classes from './onboarding.module.css';
import { StepHead } from './SetupFrame';

/** How long the welcome stands before the dashboard opens. */
const MOVE_ON_MS = 2_000;

export default function UsersStep() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [unnoted, forget] = useNewControllers();
  const [asking, ask] = useDisclosure(false);
  const { current: farm } = useFarms();
  const inviting = useInvite(farm?.id);
  const invites = useQuery({ ...invitesQuery(farm?.id ?? ''), enabled: farm !== undefined });
  const complete = useMutation({ mutationFn: () => answer(api.POST('/auth/complete-onboarding')) });
  const done = complete.isSuccess;
  // Passwords that nobody has noted stay on the page: they could never be read again.
  const leaving = done && unnoted.length === 0;

  useEffect(() => {
    if (!leaving) return;
    // Only now: the guard would otherwise take the welcome away at once.
    const timer = setTimeout(() => {
      updateUser({ onboardingCompleted: true });
      void navigate('/dashboard', { replace: true });
    }, MOVE_ON_MS);
    return () => clearTimeout(timer);
  }, [leaving, navigate]);

  const secrets = unnoted.length > 0 && (
    <Panel title={t('setup.secretsTitle')} hint={t('setup.secretsHint')} tone="warn">
      <p className={classes['about']}>{t('screen.controller.anyTime')}</p>
      <ControllerAccounts controllers={unnoted} />
      <Button variant="default" onClick={forget}>
        {t('setup.noted')}
      </Button>
    </Panel>
  );

  if (done) {
    return (
      <>
        <Success title={t('setup.welcome')} text={t('setup.welcomeText')} />
        {secrets}
      </>
    );
  }

  // As long as it is not known that somebody was invited, nobody was.
  const skip = () => (invites.data?.length ? complete.mutate() : ask.open());
  return (
    <>
      <StepHead step={2} title={t('setup.usersTitle')} hint={t('setup.usersHint')} />
      {secrets}
      <Panel title={t('setup.invite')}>
        <InviteForm inviting={inviting} roles={farm?.manages ?? []} />
      </Panel>
      <Panel title={t('setup.invited')}>
        {invites.isError && <Banner {...failedLoad(t, invites, t('error.fetchInvites'))} />}
        {farm && invites.data && (
          <InviteList
            farmId={farm.id}
            invites={invites.data}
            roles={farm.manages}
            onAgain={({ contact, role, languagePref }) => inviting.mutate({ contact, role, languagePref })}
          />
        )}
      </Panel>
      {complete.isError && (
        <Banner tone="bad" text={failureText(t, complete.error, t('error.completeOnboarding'))} />
      )}
      <div className={classes['row']}>
        <Button variant="default" disabled={complete.isPending} onClick={skip}>
          {t('setup.skip')}
        </Button>
        <Button loading={complete.isPending} onClick={() => complete.mutate()}>
          {t('setup.finish')}
        </Button>
      </div>
      <Dialog opened={asking} onClose={ask.close} title={t('setup.skipTitle')} closeLabel={t('form.close')}>
        <p>{t('setup.skipText')}</p>
        <div className={`${classes['row']} ${classes['answers']}`}>
          <Button variant="default" onClick={ask.close}>
            {t('setup.skipNo')}
          </Button>
          <Button
            onClick={() => {
              ask.close();
              complete.mutate();
            }}
          >
            {t('setup.skipYes')}
          </Button>
        </div>
      </Dialog>
    </>
  );
}
