import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import type { LinkingFlows } from '../../flows/linking-flows.ts'

/** Authorization servers keep it for a while; a deployment that changes its name or address is believed soon after. */
const maxAgeSeconds = 300

export const clientDocuments = (flows: Pick<LinkingFlows, 'readClientDocument'>) =>
  exactRouter().get('/oauth/clients/:integration{/:issuerKey}', (req, res) => {
    const { integration, issuerKey } = req.params
    const document = flows.readClientDocument(integration, issuerKey)
    res.set('Cache-Control', `public, max-age=${maxAgeSeconds}`).json(document)
  })
