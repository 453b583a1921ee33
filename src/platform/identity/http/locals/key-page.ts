import type { Caller } from '../../../shared/domain/caller.ts'
import { utcTime } from '../../../shared/http/utc-time.ts'
import type { KeyList, OwnedKey } from '../../flows/show-api-keys.ts'

const lifetimes = [
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
  { value: '365d', label: '1 year' },
  { value: '', label: 'Never' },
] as const

const roles = [
  { value: 'member', label: 'Member' },
  { value: 'admin', label: 'Admin' },
] as const

export type KeyForm = { id: string; name: string; clientId: string; expiresIn: string; role: string }

export type KeyPage = {
  caller: Caller
  list: KeyList
  form: KeyForm
  now: Date
  complaint?: { what: string; detail: string }
  notice?: string
  /** Shown once. */
  made?: { name: string; key: string }
  /** Its secret is shown once. */
  account?: { name: string; clientId: string; secret: string }
}

export const keysPath = (workspace: string | undefined) =>
  workspace === undefined ? '/keys' : `/keys/workspaces/${encodeURIComponent(workspace)}`

export function keyPageLocals({ caller, list, form, now, complaint, notice = '', made, account }: KeyPage) {
  const { workspace, workspaces, serviceAccounts, keys } = list
  const path = keysPath(workspace)
  return {
    user: caller.label,
    path,
    workspace,
    complaint,
    notice,
    made,
    account,
    form,
    mayCreate: workspace === undefined || serviceAccounts.length > 0,
    owners: serviceAccounts.map(({ clientId, name }) => ({
      value: clientId,
      label: name,
      selected: clientId === form.clientId,
    })),
    roles: roles.map((each) => ({ ...each, selected: each.value === form.role })),
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
    created: utcTime(createdAt),
    lastUsed: lastUsedAt && utcTime(lastUsedAt),
    expires: expiresAt && utcTime(expiresAt),
    hasExpired: expiresAt !== null && expiresAt <= now,
    revoke: {
      action: `${path}/${encodeURIComponent(id)}/revoke`,
      clientId: serviceAccount?.clientId,
    },
  }
}
