// Finds pages, houses, devices, rules, people and what can be added by a part of their name.
import '@mantine/core/styles/Combobox.css';
import { Combobox, Modal, TextInput, useCombobox } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import Search from '~icon/Search';
import type { Farm } from '../../api/farms';
import { found } from './find';
import classes from './Palette.module.css';
import type { NavNode } from './tree';
import { useEverything } from './useEverything';

interface Props {
  farm: Farm;
  tree: readonly NavNode[];
  opened: boolean;
  onClose: () => void;
}

export default function Palette({ opened, onClose, ...of }: Props) {
  const { t } = useTranslation();
  // Who went somewhere is there, and not where the window was opened from.
  const [went, setWent] = useState(false);
  useEffect(() => {
    if (opened) setWent(false);
  }, [opened]);
  return (
    <Modal.Root opened={opened} onClose={onClose} returnFocus={!went} size="38rem" yOffset="10dvh">
      <Modal.Overlay />
      <Modal.Content aria-label={t('palette.find')}>
        <Modal.Body className={classes['body'] ?? ''}>
          <Choice {...of} onClose={onClose} onGo={() => setWent(true)} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Made anew each time that it opens: with nothing typed. */
function Choice({ farm, tree, onClose, onGo }: Omit<Props, 'opened'> & { onGo: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  // Its list is always there; Escape closes the window.
  const combobox = useCombobox({ opened: true, onDropdownClose: onClose });
  const groups = found(typed, useEverything(farm, tree));
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was typed changes what stands first
  useEffect(() => {
    combobox.selectFirstOption();
  }, [typed, combobox.selectFirstOption]);
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(path) => {
        onGo();
        onClose();
        void navigate(path);
        // As by the link that skips the navigation.
        document.getElementById('content')?.focus({ preventScroll: true });
      }}
    >
      <Combobox.EventsTarget withExpandedAttribute>
        <TextInput
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          aria-label={t('palette.find')}
          placeholder={t('palette.hint')}
          leftSection={<Search size={22} aria-hidden />}
          size="md"
          data-autofocus
        />
      </Combobox.EventsTarget>
      <Combobox.Options className={classes['list'] ?? ''} aria-label={t('palette.find')}>
        {groups.map(({ label, things }) => (
          <Combobox.Group key={label} label={label}>
            {things.map(({ path, name, about, icon: Glyph }) => (
              <Combobox.Option key={`${path} ${name}`} value={path} className={classes['option'] ?? ''}>
                <Glyph size={22} aria-hidden />
                <span>
                  {name}
                  {about && <small>{about}</small>}
                </span>
              </Combobox.Option>
            ))}
          </Combobox.Group>
        ))}
        {groups.length === 0 && <Combobox.Empty>{t('palette.none')}</Combobox.Empty>}
      </Combobox.Options>
    </Combobox>
  );
}
