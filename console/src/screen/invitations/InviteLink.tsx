// The link of an invite, to pass on by hand: what the phone shares with, WhatsApp or mail, the clipboard, a code to scan.
import { Button, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import WhatsApp from '~icon/BrandWhatsapp';
import Mail from '~icon/Mail';
import Code from '~icon/Qrcode';
import Share from '~icon/Share';
import type { components } from '../../api/schema';
import { CopyButton } from '../../ui/CopyButton';
import { QrCode } from '../../ui/QrCode';
import classes from './invitations.module.css';

export function InviteLink({ made }: { made: components['schemas']['InviteMade'] }) {
  const { t } = useTranslation();
  const [scanned, scan] = useDisclosure(false);
  const { invite, message } = made;
  const link = new URL(made.link, window.location.origin).href;
  // Where the server does not know by which address people reach it, the page does.
  const text = message.replace(made.link, link);
  const canShare = 'share' in navigator;
  return (
    <section className={classes['link']} aria-label={t('invitations.passOn', { contact: invite.contact })}>
      <h3>{t('invitations.passOn', { contact: invite.contact })}</h3>
      <p className={classes['about']}>{t('invitations.passOnHint')}</p>
      <Textarea
        aria-label={t('invitations.message')}
        lang={invite.languagePref}
        value={text}
        readOnly
        autosize={false}
        rows={7}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <div className={classes['ways']}>
        {canShare && (
          <Button
            leftSection={<Share size={18} aria-hidden />}
            // Who closes the sheet again has chosen nothing.
            onClick={() => void navigator.share({ text }).catch(() => {})}
          >
            {t('invitations.share')}
          </Button>
        )}
        {invite.mobile ? (
          <Button
            component="a"
            variant="default"
            target="_blank"
            rel="noopener noreferrer"
            leftSection={<WhatsApp size={18} aria-hidden />}
            href={`https://wa.me/${invite.mobile.replace(/\D/g, '')}?text=${encodeURIComponent(text)}`}
          >
            {t('invitations.whatsapp')}
          </Button>
        ) : (
          <Button
            component="a"
            variant="default"
            leftSection={<Mail size={18} aria-hidden />}
            href={`mailto:${encodeURIComponent(invite.contact)}?body=${encodeURIComponent(text)}`}
          >
            {t('invitations.mail')}
          </Button>
        )}
        <CopyButton
          text={link}
          word={t('invitations.copy')}
          label={t('invitations.copy')}
          copiedWord={t('invitations.copied')}
        />
        <Button
          variant="default"
          leftSection={<Code size={18} aria-hidden />}
          aria-expanded={scanned}
          onClick={scan.toggle}
        >
          {t('invitations.code')}
        </Button>
      </div>
      {scanned && <QrCode text={link} label={t('invitations.codeOf', { contact: invite.contact })} />}
    </section>
  );
}
