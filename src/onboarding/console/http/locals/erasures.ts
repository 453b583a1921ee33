import { type Erasure, type ErasureStep, type RemovedKind, removedKinds } from '../../../domain/offboarding/erasure.ts'
import { causeWords } from './cause-words.ts'
import { revocationWords } from './task.ts'
import { ago, formatTime, shown } from './words.ts'

const stepWords: Record<ErasureStep, string> = {
  ending_links: 'Ending sessions and links',
  disconnecting: 'Disconnecting',
  notifying: 'Waiting for the tenant’s endpoints',
  erasing: 'Erasing',
  done: 'Done',
}

const removedWords: Record<RemovedKind, string> = {
  connectSessions: 'Connect sessions',
  manageSessions: 'Manage sessions',
  links: 'Links',
  connections: 'Connections',
  importRows: 'Import rows',
  events: 'Events',
  auditEntries: 'Audit entries',
}

const badgeOf = ({ step, cause }: Erasure) =>
  step === 'done'
    ? { status: 'linked', label: 'Done' }
    : { status: cause ? 'needs_attention' : 'pending', label: stepWords[step] }

const pageOf = ({ id }: Pick<Erasure, 'id'>) => `/support/erasures/${encodeURIComponent(id)}`

type ErasuresPage = { erasures: readonly Erasure[]; tenant: string; endUserId: string; now: Date }

export const erasuresLocals = ({ erasures, tenant, endUserId, now }: ErasuresPage) => ({
  title: 'Erasures',
  fields: { tenant, endUserId },
  rows: erasures.map((erasure) => ({
    href: pageOf(erasure),
    id: erasure.id,
    tenant: erasure.tenant,
    badge: badgeOf(erasure),
    unrevoked: unrevokedOf(erasure).length,
    since: ago(erasure.requestedAt, now),
    at: formatTime(erasure.requestedAt),
  })),
})

/** Grants that may still work at the app: only the user can remove them there. */
const unrevokedOf = ({ receipt }: Erasure) => receipt?.grants.filter(({ revocation }) => revocation !== 'revoked') ?? []

export const erasureLocals = (erasure: Erasure, now: Date) => ({
  title: `Erasure ${erasure.id}`,
  id: erasure.id,
  path: pageOf(erasure),
  isDone: erasure.step === 'done',
  badge: badgeOf(erasure),
  cause: erasure.cause && causeWords(erasure.cause),
  unrevoked: unrevokedOf(erasure).length,
  facts: [
    ['Tenant', erasure.tenant],
    ['Requested', `${formatTime(erasure.requestedAt).text} UTC, ${ago(erasure.requestedAt, now)} ago`],
    ['Requested by', shown(erasure.actor.name ?? erasure.actor.id ?? erasure.actor.kind, 80)],
    ...(erasure.finishedAt ? [['Done', `${formatTime(erasure.finishedAt).text} UTC`]] : []),
    ['Hash of the user’s ID', erasure.subject],
  ],
  removed: removedKinds.map((kind) => ({ label: removedWords[kind], count: erasure.receipt?.removed[kind] ?? 0 })),
  grants: (erasure.receipt?.grants ?? []).map(({ integration, connectionId, linkId, revocation }) => ({
    integration,
    id: connectionId ?? linkId,
    href: connectionId ? `/support/connections/${connectionId}` : `/support/links/${linkId}`,
    badge:
      revocation === 'revoked'
        ? { status: 'linked', label: 'Revoked' }
        : { status: 'needs_attention', label: 'Not revoked' },
    words: revocationWords[revocation],
  })),
})
