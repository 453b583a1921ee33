import { type Migration, migration } from '../../../kit/database/migrations.ts'
import { billing } from './migrations/0001-schema/billing.ts'
import { executions } from './migrations/0001-schema/executions.ts'
import { gateway } from './migrations/0001-schema/gateway.ts'
import { identity } from './migrations/0001-schema/identity.ts'
import { meters } from './migrations/0001-schema/meters.ts'
import { references } from './migrations/0001-schema/references.ts'
import { resources } from './migrations/0001-schema/resources.ts'
import { tenancy } from './migrations/0001-schema/tenancy.ts'
import { resourceRevisions } from './migrations/0002-resource-revisions.ts'
import { repairs } from './migrations/0003-repairs.ts'
import { waitingCalls } from './migrations/0004-waiting-calls.ts'
import { approvals } from './migrations/0005-approvals.ts'
import { clientInput } from './migrations/0006-client-input.ts'
import { followedSettings } from './migrations/0007-followed-settings.ts'
import { toolCallExports } from './migrations/0008-tool-call-exports.ts'
import { rememberedBrowsers } from './migrations/0009-remembered-browsers.ts'
import { toolCallPartitions } from './migrations/0010-tool-call-partitions.ts'
import { sandboxProcesses } from './migrations/0011-sandbox-processes.ts'
import { expiringResources } from './migrations/0012-expiring-resources.ts'
import { fixedSearchPaths } from './migrations/0013-fixed-search-paths.ts'
import { tokenUse } from './migrations/0014-token-use.ts'
import { sandboxUses } from './migrations/0015-sandbox-uses.ts'
import { workloadRevisions } from './migrations/0016-workload-revisions.ts'
import { anonymousRequests } from './migrations/0017-anonymous-requests.ts'
import { containerUses } from './migrations/0018-container-uses.ts'
import { previewHosts } from './migrations/0019-preview-hosts.ts'

export const migrations: readonly Migration[] = [
  migration('0001-schema', '0.3.0', tenancy, identity, resources, references, gateway, executions, billing, meters),
  migration('0002-resource-revisions', '0.3.0', resourceRevisions),
  migration('0003-repairs', '0.3.0', repairs),
  migration('0004-waiting-calls', '0.3.0', waitingCalls),
  migration('0005-approvals', '0.3.0', approvals),
  migration('0006-client-input', '0.3.0', clientInput),
  migration('0007-followed-settings', '0.3.0', followedSettings),
  migration('0008-tool-call-exports', '0.3.0', toolCallExports),
  migration('0009-remembered-browsers', '0.3.0', rememberedBrowsers),
  ...toolCallPartitions,
  migration('0011-sandbox-processes', '0.3.0', sandboxProcesses),
  migration('0012-expiring-resources', '0.3.0', expiringResources),
  migration('0013-fixed-search-paths', '0.3.0', fixedSearchPaths),
  migration('0014-token-use', '0.3.0', tokenUse),
  migration('0015-sandbox-uses', '0.3.0', sandboxUses),
  migration('0016-workload-revisions', '0.3.0', workloadRevisions),
  migration('0017-anonymous-requests', '0.3.0', anonymousRequests),
  migration('0018-container-uses', '0.3.0', containerUses),
  migration('0019-preview-hosts', '0.3.0', previewHosts),
]
