import type { Migration } from '../../../../kit/database/migrations.ts'
import { ledger } from './0001-ledger.ts'
import { webhooks } from './0002-webhooks.ts'
import { idempotency } from './0003-idempotency.ts'
import { auditKept } from './0004-audit-kept.ts'
import { webhookQueues } from './0005-webhook-queues.ts'
import { backlog } from './0006-backlog.ts'
import { upkeep } from './0007-upkeep.ts'
import { support } from './0008-support.ts'
import { sinceWhen } from './0009-since-when.ts'
import { briefHolds } from './0010-brief-holds.ts'
import { actorNames } from './0011-actor-names.ts'
import { encryptionKeys } from './0012-encryption-keys.ts'
import { idempotencySeeds } from './0013-idempotency-seeds.ts'
import { earlierWebhookSecrets } from './0014-earlier-webhook-secrets.ts'
import { nextTry } from './0015-next-try.ts'
import { searchUsers } from './0016-search-users.ts'
import { searchBeginnings } from './0017-search-beginnings.ts'
import { lastTask } from './0018-last-task.ts'
import { disabledWebhooks } from './0019-disabled-webhooks.ts'
import { cancelledCampaigns } from './0020-cancelled-campaigns.ts'
import { nextSigningSecrets } from './0021-next-signing-secrets.ts'
import { listsByCause } from './0022-lists-by-cause.ts'
import { ownClientTimes } from './0023-own-client-times.ts'

export const migrations: readonly Migration[] = [
  ledger,
  webhooks,
  idempotency,
  auditKept,
  webhookQueues,
  backlog,
  upkeep,
  support,
  sinceWhen,
  briefHolds,
  actorNames,
  encryptionKeys,
  idempotencySeeds,
  earlierWebhookSecrets,
  nextTry,
  searchUsers,
  searchBeginnings,
  lastTask,
  disabledWebhooks,
  cancelledCampaigns,
  nextSigningSecrets,
  listsByCause,
  ownClientTimes,
]
