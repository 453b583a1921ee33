// The page of a new reconnect link, with a message to send to the user.
import { encode } from 'uqr'
import type { Translator } from '../../../../kit/messages/translator.ts'
import { appIcon, monogram } from '../../../domain/catalogue/app-icon.ts'
import type { ConnectSession } from '../../../domain/connect-session.ts'
import type { GrantLimit } from '../../../domain/stored-grant.ts'
import type { ConnectionDetails } from '../../flows/read-support.ts'
import { languageName, shown } from './words.ts'

type NewLink = { session: ConnectSession; url: string; grantLimit?: GrantLimit | undefined }

type Shown = Pick<ConnectionDetails, 'connection' | 'tenant' | 'integration'>

export function reconnectLinkLocals(link: NewLink, details: Shown, translator: Translator) {
  const { session, url, grantLimit } = link
  const { connection, integration } = details
  const names = namesIn(details)
  const { email, displayName, id } = session.endUser
  const subject = translator.t('connect.titleAgain', names)
  const message = messageText(link, details, translator)
  return {
    title: 'Reconnect link',
    back: `/support/connections/${connection.id}`,
    url,
    qrCode: qrCode(url),
    icon: integration ? appIcon(integration) : monogram(names.app),
    app: names.app,
    facts: [
      ['For', shown([displayName, email].filter(Boolean).join(', ') || id, 160)],
      ['Account', shown(connection.account?.label ?? 'Unknown', 120)],
      ['Tenant', names.tenant],
      ['Expires', lastsWords(session)],
    ],
    warnings: [...(connection.account ? [] : [notCompared]), ...limitWords(grantLimit)],
    message: { text: message, lang: translator.lang, dir: translator.dir, language: languageName(translator.lang) },
    mailto: email && mailto(email, subject, message),
    steps: [
      `A page of ${names.tenant} asks them to reconnect ${names.app}.`,
      `${names.app} asks them to sign in${connection.account ? ` as ${shown(connection.account.label, 120)}` : ''}.`,
      `The page confirms that ${names.app} is reconnected.`,
    ],
  }
}

const namesIn = ({ connection, tenant, integration }: Shown) => ({
  app: integration?.displayName ?? connection.integration,
  tenant: shown(tenant?.displayName ?? connection.tenant, 80),
})

function messageText({ session, url }: NewLink, details: Shown, { t, lang }: Translator): string {
  const { account, status } = details.connection
  const names = namesIn(details)
  return [
    t(status === 'needs_relink' ? 'connect.leadBroken' : 'connect.leadAgain', names),
    url,
    [
      ...(account ? [t('message.account', { account: shown(account.label, 120) })] : []),
      t('message.expires', { when: dateIn(lang, session.expiresAt) }),
    ].join('\n'),
    t('message.unsure', names),
  ].join('\n\n')
}

const dateIn = (lang: string, at: Date): string =>
  new Intl.DateTimeFormat(lang, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  }).format(at)

/** Drawn in modules, of which ISO/IEC 18004 wants four as a margin. Medium error correction: it is read from a screen. */
function qrCode(text: string) {
  const { data, size } = encode(text, { ecc: 'M', border: 4 })
  const rows = data.map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')).join(''))
  return { size, path: rows.join('') }
}

/** RFC 6068: line breaks are CRLF. */
const mailto = (email: string, subject: string, body: string): string =>
  `mailto:${encodeURIComponent(email)}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body.replaceAll('\n', '\r\n'))}`

function lastsWords({ createdAt, expiresAt }: ConnectSession): string {
  const days = Math.round((expiresAt.getTime() - createdAt.getTime()) / 86_400_000)
  return days === 1 ? 'After one day' : `After ${days} days`
}

const notCompared =
  'The account is unknown and will not be compared. Send the link by a way that only this user can read.'

/** The new access may end one that is in use. */
const limitWords = (limit: GrantLimit | undefined): string[] =>
  limit === undefined
    ? []
    : [
        `The app allows ${limit.limit} sign-ins of one account, and this account has ${limit.live}. ${limit.beyond === 'refused' ? 'The app may refuse another one.' : 'A new one ends the oldest, which another connection may use.'}`,
      ]
