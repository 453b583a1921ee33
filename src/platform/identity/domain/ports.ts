import type { Caller, Role } from '../../shared/domain/caller.ts'
import type { NewApiKey } from './api-key.ts'

export type KeyOwner = { userId: string } | { serviceAccountId: string }

export type ApiKeys = {
  add(key: NewApiKey, name: string, owner: KeyOwner, expiresAt?: Date): Promise<void>
  callerOf(hash: Buffer): Promise<Caller | undefined>
}

/** Accounts, users and their places, each created only when it is missing. */
export type Tenancy = {
  ensureAccount(id: string, name: string): Promise<string>
  ensureUser(id: string, email: string): Promise<string>
  ensureAccountAdmin(accountId: string, userId: string): Promise<void>
  ensureWorkspace(id: string, name: string, accountId: string, by: string): Promise<void>
  ensureWorkspaceAdmin(workspace: string, userId: string): Promise<void>
}

export type Membership = { workspace: string; role: Role }

/** Who may enter which workspace. */
export type Memberships = {
  ofUser(userId: string): Promise<Membership[]>
  ofServiceAccount(clientId: string): Promise<Membership[]>
}
