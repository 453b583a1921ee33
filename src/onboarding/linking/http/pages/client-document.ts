import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import type { Deps } from '../../../domain/ports/ports.ts'
import { readClientDocument } from '../../flows/read-client-document.ts'

/** Short, so that authorization servers soon see a changed name or URL. */
const maxAgeSeconds = 300

export const clientDocuments = ({ settings }: Pick<Deps, 'settings'>) =>
  exactRouter().get('/oauth/clients/:issuerKey', (req, res) => {
    const document = readClientDocument(settings, req.params.issuerKey)
    res.set('Cache-Control', `public, max-age=${maxAgeSeconds}`).json(document)
  })
