import { tenancy } from './migrations/0001-tenancy.ts'
import { resources } from './migrations/0002-resources.ts'
import { references } from './migrations/0003-references.ts'
import { counting } from './migrations/0004-counting.ts'
import { search } from './migrations/0005-search.ts'
import { identity } from './migrations/0006-identity.ts'
import { idempotency } from './migrations/0007-idempotency.ts'
import { gateway } from './migrations/0010-gateway.ts'
import { executions } from './migrations/0011-executions.ts'
import { billing } from './migrations/0020-billing.ts'
import { meters } from './migrations/0021-meters.ts'
import { userRoles } from './migrations/0030-user-roles.ts'
import { audit } from './migrations/0031-audit.ts'
import { members } from './migrations/0032-members.ts'
import { removedFolders } from './migrations/0040-removed-folders.ts'
import { asyncRequests } from './migrations/0041-async-requests.ts'
import { coveringSums } from './migrations/0050-covering-sums.ts'
import { asyncRequestsOfWorkspace } from './migrations/0051-async-requests-of-workspace.ts'
import { volumeAttachments } from './migrations/0052-volume-attachments.ts'
import { referencesHeld } from './migrations/0053-references-held.ts'
import { quickGrams } from './migrations/0054-quick-grams.ts'
import { namesAtRest } from './migrations/0055-names-at-rest.ts'
import { drivesHeld } from './migrations/0056-drives-held.ts'
import { shownOverrides } from './migrations/0057-shown-overrides.ts'
import { imagesOfDeployed } from './migrations/0058-images-of-deployed.ts'

/** In the order in which they are applied. */
export const migrations = [
  tenancy,
  resources,
  references,
  counting,
  search,
  identity,
  idempotency,
  gateway,
  executions,
  billing,
  meters,
  userRoles,
  audit,
  members,
  removedFolders,
  asyncRequests,
  coveringSums,
  asyncRequestsOfWorkspace,
  volumeAttachments,
  referencesHeld,
  quickGrams,
  namesAtRest,
  drivesHeld,
  shownOverrides,
  imagesOfDeployed,
] as const
