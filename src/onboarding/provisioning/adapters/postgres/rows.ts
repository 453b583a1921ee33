// Links and connections as they are read, here and by the areas that come after.
import { z } from 'zod'
import { maybe, sql } from '../../../../kit/database/sql.ts'
import {
  AccountColumn,
  accountOf,
  CauseColumn,
  ConfigColumn,
  EndUserColumn,
} from '../../../adapters/postgres/schema.ts'
import { connectionStatuses } from '../../../domain/connection.ts'
import { ifConnectedModes } from '../../../domain/end-users/if-connected.ts'
import { linkStates, provisioningStates } from '../../../domain/link.ts'

const LinkColumns = z.object({
  id: z.string(),
  sessionId: z.string(),
  tenant: z.string(),
  workspace: z.string(),
  integration: z.string(),
  endUser: EndUserColumn,
  returnUrl: maybe(z.string()),
  relink: z.boolean(),
  importId: maybe(z.string()),
  allowOtherAccount: z.boolean(),
  ifConnected: z.enum(ifConnectedModes),
  completionChallenge: maybe(z.string()),
  browser: z.string(),
  state: z.enum(linkStates),
  cause: CauseColumn,
  resumeFrom: maybe(z.enum(provisioningStates)),
  forcedConsent: z.boolean(),
  missingScopes: z.array(z.string()),
  grantedScopes: maybe(z.array(z.string())),
  config: ConfigColumn,
  connectionId: z.string(),
  connectionName: z.string(),
  functionName: z.string(),
  functionUrl: maybe(z.string()),
  attempts: z.number(),
  nextAttemptAt: maybe(z.date()),
  fence: z.number(),
  takeovers: z.number(),
  traceparent: maybe(z.string()),
  createdAt: z.date(),
  updatedAt: z.date(),
})

export const LinkRow = LinkColumns.extend({ account: AccountColumn })

/** Of a table, or a part of a statement, that is called `links`. */
export const linkColumns = sql`${sql.columns(LinkColumns, 'links')}, ${accountOf('links')}`

const ConnectionColumns = z.object({
  id: z.string(),
  tenant: z.string(),
  workspace: z.string(),
  integration: z.string(),
  name: z.string(),
  functionName: z.string(),
  functionUrl: z.string(),
  scopes: z.array(z.string()),
  config: ConfigColumn,
  status: z.enum(connectionStatuses),
  statusSince: z.date(),
  cause: CauseColumn,
  grantVersion: z.number(),
  checkedAt: maybe(z.date()),
  unclearSince: maybe(z.date()),
  unclearChecks: z.number(),
  unexplainedRefusals: z.number(),
  healthUnknownSince: maybe(z.date()),
  grantEndsAt: maybe(z.date()),
  relinkedAt: maybe(z.date()),
  disconnectedAt: maybe(z.date()),
  endUserId: z.string(),
  createdAt: z.date(),
  updatedAt: z.date(),
})

export const ConnectionRow = ConnectionColumns.extend({ account: AccountColumn })

/** Of a table that is called `connections`. */
export const connectionColumns = sql`${sql.columns(ConnectionColumns, 'connections')}, ${accountOf('connections')}`
