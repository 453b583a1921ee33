import { isDeepStrictEqual } from 'node:util'
import type { MetadataInput } from '../../../contract/resource.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { Kind } from './kind.ts'
import { valueAt } from './masking.ts'
import type { Document, Resource } from './resource.ts'

/** An update that leaves an immutable member out keeps it; one that changes it is refused, by name. */
export function refuseChanges(
  kind: Kind,
  current: Resource,
  { metadata, spec }: { metadata: MetadataInput; spec: Document },
): void {
  if (metadata.name !== current.name) throw new Failure('input_invalid', 'metadata.name may not change.')
  for (const pointer of kind.immutable ?? []) {
    const [before, after] = [valueAt(current.spec, pointer), valueAt(spec, pointer)]
    if (after !== undefined && before !== undefined && !isDeepStrictEqual(before, after)) {
      throw new Failure('input_invalid', `spec${pointer.replaceAll('/', '.')} may not change.`)
    }
  }
}
