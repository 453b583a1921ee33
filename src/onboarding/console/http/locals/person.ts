import type { Translator } from '../../../../kit/messages/translator.ts'
import type { Connection } from '../../../domain/connection.ts'
import type { Link } from '../../../domain/link.ts'
import type { OpenSession, Person } from '../../../domain/ports/support-ledger.ts'
import { linkLocals } from '../../../linking/http/locals/link.ts'
import type { PersonDetails } from '../../flows/read-support.ts'
import { causeWords } from './cause-words.ts'
import {
  type AppNamed,
  accountName,
  ago,
  connectionBadge,
  formatTime,
  linkBadge,
  linkKindWords,
  personHref,
  personName,
  shown,
} from './words.ts'

type PersonPage = { person: PersonDetails; appOf: AppNamed; translator: Translator; now: Date }

export function personLocals({ person, appOf, translator, now }: PersonPage) {
  const { tenant, owner, endUser, connections, links, openSessions } = person
  const accounts = connections.map((connection) => accountRow(connection, appOf, now))
  return {
    title: personName(endUser),
    email: endUser.email && shown(endUser.email, 120),
    id: shown(endUser.id, 120),
    tenant: { name: shown(owner?.displayName ?? tenant, 80), href: `/support/tenants/${encodeURIComponent(tenant)}` },
    next: nextAction(person, appOf, now),
    accounts,
    attempts: links.map((link) => attemptRow(link, appOf, now)),
    openLinks: openSessions.map((session) => openLinkRow(session, appOf, now)),
    lastSeen: lastSeen(person, translator, now),
    erasureHref: `/support/erasures?${new URLSearchParams({ tenant, endUserId: endUser.id })}`,
  }
}

const accountRow = (connection: Connection, appOf: AppNamed, now: Date) => ({
  icon: appOf(connection.integration).icon,
  title: appOf(connection.integration).name,
  href: `/support/connections/${connection.id}`,
  text: accountName(connection) ?? 'Account unknown',
  machineName: connection.name,
  badge: connectionBadge(connection),
  cause: connection.cause && causeWords(connection.cause).title,
  since: ago(connection.statusSince, now),
  at: formatTime(connection.statusSince),
})

const attemptRow = (link: Link, appOf: AppNamed, now: Date) => ({
  icon: appOf(link.integration).icon,
  title: appOf(link.integration).name,
  href: `/support/links/${link.id}`,
  text: linkKindWords[link.kind],
  machineName: link.id,
  badge: linkBadge(link),
  cause: link.cause && causeWords(link.cause).title,
  since: ago(link.createdAt, now),
  at: formatTime(link.createdAt),
})

const openLinkRow = (session: OpenSession, appOf: AppNamed, now: Date) => ({
  app: session.integration === undefined ? 'An app of their choice' : appOf(session.integration).name,
  href: session.connectionId && `/support/connections/${session.connectionId}#addresses`,
  kind: session.connectionId ? 'Reconnect' : 'Connect',
  created: `${ago(session.createdAt, now)} ago`,
  expires: `in ${ago(now, session.expiresAt)}`,
})

/** The one thing that helps most: first a reconnect, then a stopped link. */
function nextAction({ connections, links, openSessions }: PersonDetails, appOf: AppNamed, now: Date) {
  const broken = connections.find(({ status }) => status === 'needs_relink')
  if (broken) {
    const open = openSessions.find(({ connectionId }) => connectionId === broken.id)
    return {
      ...appOf(broken.integration),
      title: `${appOf(broken.integration).name} has to be reconnected`,
      text: broken.cause ? causeWords(broken.cause).title : 'No cause recorded',
      since: ago(broken.statusSince, now),
      at: formatTime(broken.statusSince),
      open:
        open &&
        `A reconnect link was created ${ago(open.createdAt, now)} ago and expires in ${ago(now, open.expiresAt)}.`,
      href: `/support/connections/${broken.id}#act`,
      button: open ? 'Create another reconnect link' : 'Create reconnect link',
    }
  }
  const stopped = links.find(({ state }) => state === 'needs_attention')
  return (
    stopped && {
      ...appOf(stopped.integration),
      title: `Connecting ${appOf(stopped.integration).name} has stopped`,
      text: stopped.cause ? causeWords(stopped.cause).title : 'No cause recorded',
      since: ago(stopped.updatedAt, now),
      at: formatTime(stopped.updatedAt),
      open: undefined,
      href: `/support/links/${stopped.id}#act`,
      button: 'View and resume',
    }
  )
}

/** In the words of the end user's page, in English. */
function lastSeen({ owner, links: [link], integration }: PersonDetails, translator: Translator, now: Date) {
  if (!owner || !link) return undefined
  const page = linkLocals(
    { link, tenant: owner, integration, account: undefined, isFirst: link.kind !== 'relink', mayTryAgain: false },
    translator,
  )
  return {
    title: page.title,
    text: page.outcome?.lead.map(({ text }) => text).join(''),
    since: ago(link.updatedAt, now),
    at: formatTime(link.updatedAt),
    href: `/support/links/${link.id}`,
  }
}

export const personCell = ({ tenant, endUser }: Person) => ({
  href: personHref(tenant, endUser.id),
  name: personName(endUser),
  id: personName(endUser) === endUser.id ? undefined : shown(endUser.id, 80),
})
