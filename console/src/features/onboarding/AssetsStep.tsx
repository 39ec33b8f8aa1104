// Onboarding, step 1 of 2: the farm's controllers and what they stand for (spec 2.9).
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import Add from '~icon/Plus';
import { answer, api } from '../../api/client';
import { problemAt } from '../../api/errors';
import { keys } from '../../api/keys';
import { failedLoad, failureText } from '../../i18n/failure';
import { Link } from '../../screen/Link';
import { keepNewControllers } from '../../screen/new-controllers';
import { Banner } from '../../ui/Banner';
import formClasses from '../../ui/form.module.css';
import { Panel } from '../../ui/Panel';
import rows from '../../ui/rows.module.css';
import { Success } from '../../ui/Success';
import { AssetFields } from './AssetFields';
import { type AssetDraft, assetBodies, assetProblems } from './asset';
import classes from './onboarding.module.css';
import { StepHead } from './SetupFrame';

/** How long the success panel stands before step 2 opens. */
const MOVE_ON_MS = 2_000;
/** The server takes as many at a time. */
const MOST = 64;

const blank = (key: number): AssetDraft => ({ key, type: '', name: '', macid: '' });

export default function AssetsStep() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const cache = useQueryClient();
  const [drafts, setDrafts] = useState<readonly AssetDraft[]>([blank(0)]);
  const [tried, setTried] = useState(false);
  const registered = useQuery({
    queryKey: keys.assets,
    queryFn: () => answer(api.GET('/onboarding/assets')),
  });
  const save = useMutation({
    mutationFn: () => answer(api.POST('/onboarding/assets', { body: { assets: assetBodies(drafts) } })),
    onSuccess: ({ assets }) => keepNewControllers(cache, assets),
  });
  const done = save.isSuccess;

  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => void navigate('/onboarding/users'), MOVE_ON_MS);
    return () => clearTimeout(timer);
  }, [done, navigate]);

  if (done) return <Success title={t('setup.assetsAdded')} text={t('setup.toUsers')} />;

  const problems = assetProblems(drafts);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (problems.every((wrong) => Object.keys(wrong).length === 0)) save.mutate();
  };
  const change = (next: readonly AssetDraft[]) => {
    setDrafts(next);
    if (save.isError) save.reset();
  };
  const known = registered.data?.assets ?? [];

  return (
    <>
      <StepHead step={1} title={t('setup.assetsTitle')} hint={t('setup.assetsHint')} />
      {registered.isError && <Banner {...failedLoad(t, registered, t('error.fetchAssets'))} />}
      {known.length > 0 && (
        <Panel title={t('setup.registered')}>
          <ul className={rows['rows']}>
            {known.map((asset) => (
              <li key={asset.id}>
                <span>{asset.name}</span>
                <code className={classes['macid']}>{asset.macid}</code>
              </li>
            ))}
          </ul>
          <div className={formClasses['links']}>
            <Link to="/onboarding/users">{t('setup.continue')}</Link>
          </div>
        </Panel>
      )}
      <form className={formClasses['form']} onSubmit={submit} noValidate>
        {drafts.map((draft, at) => {
          const wrong = tried ? problems[at] : undefined;
          return (
            <AssetFields
              key={draft.key}
              number={at + 1}
              draft={draft}
              problems={{
                type: wrong?.type ? t(wrong.type) : problemAt(save.error, `assets[${at}].type`),
                macid: wrong?.macid ? t(wrong.macid) : problemAt(save.error, `assets[${at}].macid`),
                name: problemAt(save.error, `assets[${at}].name`),
              }}
              onChange={(changed) => change(drafts.map((old) => (old.key === changed.key ? changed : old)))}
              onRemove={
                drafts.length > 1 ? () => change(drafts.filter(({ key }) => key !== draft.key)) : undefined
              }
            />
          );
        })}
        <Button
          variant="default"
          leftSection={<Add size={20} aria-hidden />}
          disabled={drafts.length >= MOST}
          onClick={() => change([...drafts, blank(Math.max(...drafts.map(({ key }) => key)) + 1)])}
        >
          {t('setup.addAsset')}
        </Button>
        {save.isError && <Banner tone="bad" text={failureText(t, save.error, t('error.saveAssets'))} />}
        <Button type="submit" loading={save.isPending} fullWidth>
          {t('setup.saveAssets')}
        </Button>
      </form>
    </>
  );
}
