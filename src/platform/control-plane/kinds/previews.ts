import { Preview, PreviewInput, PreviewToken, PreviewTokenInput } from '../../../contract/control-plane/previews.ts'
import type { Kind } from '../domain/kind.ts'
import { pointer } from '../domain/masking.ts'

export const preview: Kind = {
  name: 'preview',
  path: '/sandboxes/{sandboxName}/previews',
  param: 'previewName',
  scope: 'sandboxes',
  everyScope: 'control',
  listing: 'array',
  input: PreviewInput,
  document: Preview,
  deploys: 'at once',
  // They may be credentials of the server behind the port.
  secrets: ({ requestHeaders }) =>
    Object.keys(requestHeaders ?? {}).map((name) => ({ pointer: pointer('requestHeaders', name), owner: name })),
  // Clients send it back.
  assigned: ['url'],
  parents: [{ kind: 'sandbox', param: 'sandboxName' }],
  extraMetadata: ({ parent }) => ({ resourceName: parent, resourceType: 'sandbox' }),
  extraSpec: (preview, { previewUrl }) => ({ url: previewUrl(preview) }),
}

export const previewToken: Kind = {
  name: 'previewtoken',
  path: '/sandboxes/{sandboxName}/previews/{previewName}/tokens',
  param: 'tokenName',
  scope: 'sandboxes',
  everyScope: 'control',
  listing: 'array',
  input: PreviewTokenInput,
  document: PreviewToken,
  assigned: ['token', 'expired'],
  parents: [
    { kind: 'sandbox', param: 'sandboxName' },
    { kind: 'preview', param: 'previewName' },
  ],
  extraMetadata: ({ parent }) => {
    const [resourceName = '', previewName = ''] = parent.split('/')
    return { resourceName, resourceType: 'sandbox', previewName }
  },
  extraSpec: ({ id, spec }, { previewToken: tokenOf, now }) => ({
    token: tokenOf(id),
    expired: typeof spec.expiresAt === 'string' && new Date(spec.expiresAt) <= now(),
  }),
}
