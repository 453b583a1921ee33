import { rotatesRefreshTokens } from '../../domain/integration.ts'
import type { LinkKind } from '../../domain/link.ts'
import type { KindOfLink } from './decision.ts'
import { beginFirstLink, firstLinkSteps } from './first-link-steps.ts'
import { importLinks } from './import-steps.ts'
import { beginRelink, onRelinkFailure, relinkSteps } from './relink-steps.ts'

export const linkKinds: Record<LinkKind, KindOfLink> = {
  first: {
    steps: firstLinkSteps,
    begin: beginFirstLink,
    onFailure: async () => undefined,
    mayRotate: rotatesRefreshTokens,
    beforeRevocation: async (_context, _link, failed) => failed,
    makesConnection: true,
  },
  relink: {
    steps: relinkSteps,
    begin: beginRelink,
    onFailure: onRelinkFailure,
    mayRotate: rotatesRefreshTokens,
    beforeRevocation: async (_context, _link, failed) => failed,
    makesConnection: false,
  },
  import: importLinks,
}
