import type { Caller } from '../../../shared/domain/caller.ts'
import type { KeyList, OwnedKey } from '../../flows/show-api-keys.ts'

export const lifetimes = [
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
  { value: '365d', label: '1 year' },
  { value: '', label: 'Never' },
] as const

export type KeyForm = { id: string; name: string; clientId: string; expiresIn: string }

export type KeyPage = {
  caller: Caller
  list: KeyList
  form: KeyForm
  now: Date
  complaint?: string
  notice?: string
  /** Shown once. */
  made?: { name: string; key: string }
}

export const keysPath = (workspace: string | undefined) =>
  workspace === undefined ? '/keys' : `/keys/workspaces/${encodeURIComponent(workspace)}`

export function keyPageLocals({ caller, list, form, now, complaint = '', notice = '', made }: KeyPage) {
  const { workspace, workspaces, serviceAccounts, keys } = list
  const path = keysPath(workspace)
  return {
    user: caller.label,
    path,
    workspace,
    complaint,
    notice,
    made,
    form,
    mayCreate: workspace === undefined || serviceAccounts.length > 0,
    owners: serviceAccounts.map(({ clientId, name }) => ({
      value: clientId,
      label: name,
      selected: clientId === form.clientId,
    })),
    lifetimes: lifetimes.map((each) => ({ ...each, selected: each.value === form.expiresIn })),
    scopes: [
      { href: '/keys', label: 'Your keys', current: workspace === undefined },
      ...workspaces.map((name) => ({ href: keysPath(name), label: name, current: name === workspace })),
    ],
    rows: keys.map((key) => rowOf(key, path, now)),
  }
}

function rowOf(
  { id, name, last4, serviceAccount, createdAt, createdBy, lastUsedAt, expiresAt }: OwnedKey,
  path: string,
  now: Date,
) {
  return {
    name,
    ending: `…${last4}`,
    owner: serviceAccount?.name,
    createdBy,
    created: timeOf(createdAt),
    lastUsed: lastUsedAt && timeOf(lastUsedAt),
    expires: expiresAt && timeOf(expiresAt),
    hasExpired: expiresAt !== null && expiresAt <= now,
    revoke: {
      action: `${path}/${encodeURIComponent(id)}/revoke`,
      clientId: serviceAccount?.clientId,
    },
  }
}

const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

const timeOf = (at: Date) => ({ iso: at.toISOString(), text: format.format(at) })
