// All columns with sealed values, for key rotation. A test searches a populated database for sealed values in columns that
// are missing here.
import type { SealedColumn } from '../../../kit/database/sealed-rows.ts'
import { sql } from '../../../kit/database/sql.ts'
import { sealContext } from '../domain/seal-context.ts'

const digits = (bytes: string) => bytes.slice(2)

export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'resources',
    column: 'sealed',
    key: ['id'],
    words: ['workspace', 'id'],
    context: (workspace: string, id: string) => sealContext.resource(workspace, id),
  },
  {
    table: 'workload_revisions',
    column: 'sealed',
    key: ['id'],
    words: ['resources.workspace', 'resources.id'],
    join: sql`resources on resources.id = workload_revisions.resource_id`,
    context: (workspace: string, id: string) => sealContext.resource(workspace, id),
  },
  {
    table: 'access_tokens',
    column: 'envelope',
    key: ['resource_id'],
    words: ['resources.workspace', 'resources.id'],
    join: sql`resources on resources.id = access_tokens.resource_id`,
    context: (workspace: string, id: string) => sealContext.accessToken(workspace, id),
  },
  {
    table: 'access_tokens',
    column: 'unread_answer',
    key: ['resource_id'],
    words: ['resources.workspace', 'resources.id'],
    join: sql`resources on resources.id = access_tokens.resource_id`,
    context: (workspace: string, id: string) => sealContext.unreadAnswer(workspace, id),
  },
  {
    table: 'followed_settings',
    column: 'sealed',
    key: ['id'],
    words: ['id'],
    context: (id: string) => sealContext.followedSettings(id),
  },
  {
    table: 'executions',
    column: 'sealed',
    key: ['uid'],
    words: ['uid'],
    context: (uid: string) => sealContext.execution(uid),
  },
  {
    table: 'async_requests',
    column: 'asked',
    key: ['id'],
    words: ['id'],
    context: (id: string) => sealContext.asyncRequest(id, 'asked'),
  },
  {
    table: 'async_requests',
    column: 'answer',
    key: ['id'],
    words: ['id'],
    context: (id: string) => sealContext.asyncRequest(id, 'answer'),
  },
  {
    table: 'idempotent_requests',
    column: 'answer',
    key: ['id'],
    words: ['id'],
    context: (id: string) => sealContext.idempotentAnswer(digits(id)),
  },
  {
    table: 'oidc_records',
    column: 'envelope',
    key: ['model', 'id_hash'],
    words: ['model', 'id_hash'],
    context: (model: string, idHash: string) => sealContext.oidcRecord(model, digits(idHash)),
  },
  {
    table: 'signing_keys',
    column: 'envelope',
    key: ['kid'],
    words: ['kid'],
    context: (kid: string) => sealContext.signingKey(kid),
  },
  {
    table: 'approvals',
    column: 'asked',
    key: ['id'],
    words: ['id'],
    context: (id: string) => sealContext.approval(id),
  },
]
