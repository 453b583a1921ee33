import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import type { Deps } from '../../../domain/ports/ports.ts'
import { readClientDocument } from '../../flows/read-client-document.ts'

/** Short, so that authorization servers soon see a changed name or URL. */
const maxAgeSeconds = 300

export const clientDocuments = ({ ports, settings }: Deps) =>
  exactRouter().get('/oauth/clients/:integration{/:issuerKey}', (req, res) => {
    const { integration, issuerKey } = req.params
    const document = readClientDocument(ports, settings, integration, issuerKey)
    res.set('Cache-Control', `public, max-age=${maxAgeSeconds}`).json(document)
  })
