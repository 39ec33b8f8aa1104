// The form of one setpoint, new or known: its day point by point, and the stages of a crop. What it moves is said before it is saved.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import Remove from '~icon/Trash';
import { api } from '../../api/client';
import { type PlaceNames, type SensorTypeName, sensorTypes, useDomain } from '../../i18n/domain';
import { HINT_BELOW } from '../../screen/condition/fields';
import { PlaceField } from '../../screen/condition/PlaceField';
import { FormDialog } from '../../screen/FormDialog';
import { Banner } from '../../ui/Banner';
import { CourseFields } from './CourseFields';
import type { Setpoint } from './queries';
import classes from './Setpoints.module.css';
import {
  MAX_STAGES,
  nextKey,
  type SetpointFields,
  setpointFields,
  setpointOf,
  setpointProblems,
} from './setpoint-form';
import { useMoved } from './setpoint-words';
import { startValue } from './usual';
import { useRuleProblemText } from './wording';

interface Props {
  farmId: string;
  opened: boolean;
  onClose: () => void;
  /** What is edited; nothing when adding. */
  setpoint: Setpoint | undefined;
  houses: PlaceNames;
}

export function SetpointForm({ farmId, setpoint, houses, ...dialog }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const problemText = useRuleProblemText();
  const moved = useMoved();
  return (
    <FormDialog<Setpoint, SetpointFields>
      {...dialog}
      farmId={farmId}
      title={t(setpoint ? 'rules.setpoint.edit' : 'rules.setpoint.add')}
      failed={t('rules.setpoint.saveFailed')}
      known={setpoint}
      values={setpointFields}
      check={(fields) =>
        Object.fromEntries(setpointProblems(fields).map((problem) => [problem.path, problemText(problem)]))
      }
      problemText={problemText}
      save={(fields, known, headers) => {
        const body = setpointOf(fields, { houses, farmId });
        return known
          ? api.PUT('/api/farms/{farmId}/setpoints/{setpointId}', {
              params: { path: { farmId, setpointId: known.id } },
              headers,
              body,
            })
          : api.POST('/api/farms/{farmId}/setpoints', { params: { path: { farmId } }, headers, body });
      }}
    >
      {(form, known) => {
        const named = (known?.rules.length ?? 0) > 0;
        return (
          <>
            <TextInput
              label={t('form.name')}
              name="name"
              required
              autoComplete="off"
              placeholder={t('rules.setpoint.example')}
              {...form.getInputProps('name')}
            />
            <NativeSelect
              label={t('rules.setpoint.quantity')}
              {...(named && { description: t('rules.setpoint.quantityStays') })}
              inputWrapperOrder={HINT_BELOW}
              // Rules compare with it: another quantity would mean something else to them.
              disabled={named}
              {...form.getInputProps('sensor_type')}
              data={sensorTypes.map((value) => ({ value, label: words.quantity(value) }))}
              onChange={(event) => changeType(form, event.currentTarget.value as SensorTypeName)}
            />
            <PlaceField form={form} path="scope" label={t('rules.setpoint.place')} houses={houses} />
            <CourseFields form={form} path="course" label={t('rules.setpoint.course')} />
            <Stages form={form} />
            <Banner tone="quiet" text={moved(known)} />
          </>
        );
      }}
    </FormDialog>
  );
}

/** Numbers of another quantity say nothing of this one. */
function changeType(form: UseFormReturnType<SetpointFields>, type: SetpointFields['sensor_type']) {
  const value = String(startValue(type, 'lt'));
  const { course, stages } = form.getValues();
  const anew = (day: SetpointFields['course']) => day.map((point) => ({ ...point, value }));
  form.setValues({
    sensor_type: type,
    course: anew(course),
    stages: stages.map((stage) => ({ ...stage, course: anew(stage.course) })),
  });
}

function Stages({ form }: { form: UseFormReturnType<SetpointFields> }) {
  const { t } = useTranslation();
  const { stages, course } = form.getValues();
  const path = (nth: number) => ['stages', nth].join('.');
  return (
    <fieldset className={classes['course']}>
      <legend>{t('rules.setpoint.stages')}</legend>
      <p className={classes['soft']}>{t('rules.setpoint.stagesHint')}</p>
      {stages.map((stage, nth) => (
        <div key={stage.key} className={classes['stage']}>
          <TextInput
            type="date"
            required
            label={t('rules.setpoint.from')}
            {...form.getInputProps(`${path(nth)}.from`)}
          />
          <TextInput
            type="number"
            inputMode="numeric"
            min={0}
            max={60}
            label={t('rules.setpoint.rampDays')}
            {...form.getInputProps(`${path(nth)}.ramp_days`)}
          />
          <CourseFields form={form} path={`${path(nth)}.course`} label={t('rules.setpoint.stageCourse')} />
          <Button
            variant="subtle"
            color="var(--h-bad)"
            leftSection={<Remove size={20} aria-hidden />}
            onClick={() => form.removeListItem('stages', nth)}
          >
            {t('rules.setpoint.removeStage')}
          </Button>
        </div>
      ))}
      {stages.length < MAX_STAGES && (
        <Button
          variant="default"
          leftSection={<Add size={20} aria-hidden />}
          onClick={() =>
            form.insertListItem('stages', {
              key: nextKey(stages),
              from: '',
              ramp_days: '0',
              // It begins as the day before it is.
              course: stages.at(-1)?.course ?? course,
            })
          }
        >
          {t('rules.setpoint.addStage')}
        </Button>
      )}
    </fieldset>
  );
}
