// Where to find a link: for operators who have its id from a ticket or an alert.
import { StartError } from '../../kit/process/start-error.ts'
import type { World } from '../compose.ts'
import type { Config } from '../config.ts'
import { linkPlaces } from '../domain/trace/link-places.ts'

/** Nothing of it names the user: it may be pasted into a ticket. */
export async function findLink(
  { links, support }: Pick<World, 'links' | 'support'>,
  id: string,
  { viewers, publicUrl }: Pick<Config, 'viewers' | 'publicUrl'>,
) {
  const link = await links.find(id)
  if (!link) throw new StartError(`there is no link ${id}`)
  const { page, logs, trace = null, whyNoTrace } = linkPlaces(link, viewers, publicUrl)
  const { state, cause, attempts, tenant, integration, connectionId } = link
  const calls = (await support.outsideCalls([id])).get(id) ?? []
  const places = { page, logs, trace, whyNoTrace }
  return { id, tenant, integration, connectionId, state, cause, attempts, ...places, calls }
}
