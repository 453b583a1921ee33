import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { missing } from '../../../domain/failure.ts'
import type { TenantFlows } from '../../flows/tenant-flows.ts'

/** Logos as pages show them. An address is the digest of what is there, so browsers and caches may keep it for good. */
export const logoPages = ({ readLogo }: Pick<TenantFlows, 'readLogo'>) =>
  exactRouter().get('/logos/:name', async (req, res) => {
    const [, digest] = /^([0-9a-f]{64})\.png$/.exec(req.params.name) ?? []
    if (digest === undefined) throw missing('logo')
    const png = await readLogo(digest)
    res.type('png').setHeader('Cache-Control', 'public, max-age=31536000, immutable')
    res.send(png)
  })
