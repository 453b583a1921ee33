import { Failure } from '../../../shared/domain/failure.ts'
import type { ControlPlane } from '../../domain/ports.ts'
import type { ServedPreview } from '../../domain/sandbox/preview.ts'

type Ports = Pick<ControlPlane, 'findPreview' | 'findPreviewToken'> & {
  previewTokens: { read(token: string): string | undefined }
  now: () => Date
}

/** A missing one, an expired one and a wrong token have the same answer. */
export async function openPreview(ports: Ports, id: string, token: string | undefined): Promise<ServedPreview> {
  const preview = await ports.findPreview(id)
  if (preview && isOpen(ports, preview) && (preview.isPublic || (await isTokenOf(ports, preview, token))))
    return preview
  throw new Failure('route_unknown', 'No preview has this address, it has expired, or it needs another token.')
}

const isOpen = ({ now }: Ports, { expiresAt }: { expiresAt: Date | undefined }) =>
  expiresAt === undefined || expiresAt > now()

async function isTokenOf(ports: Ports, { workspace, sandbox, name }: ServedPreview, token = ''): Promise<boolean> {
  const id = ports.previewTokens.read(token)
  const found = id === undefined ? undefined : await ports.findPreviewToken(id)
  return found?.workspace === workspace && found.parent === `${sandbox}/${name}` && isOpen(ports, found)
}
