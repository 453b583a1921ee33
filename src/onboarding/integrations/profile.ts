import type { Profile as ContractProfile } from '../../contract/integrations/profile.ts'
import { type ProfileInput, ProfileShape } from '../../contract/integrations/profile-shape.ts'
import type { HealthProfile, Profile } from '../domain/integration.ts'

/** What this program makes of a profile of the contract. */
export const compileProfile = ({ health, ...profile }: ContractProfile): Profile => ({
  ...profile,
  health: { ...health, by: health.by ?? triedBy(health.tool, profile) },
})

/**
 * To list a function's tools says nothing about the grant. Without a tool it is tried by refreshing it, where that is
 * known to be safe: a token that rotates may have one user only.
 */
const triedBy = (
  tool: string | undefined,
  { grant, rotation }: Pick<Profile, 'grant' | 'rotation'>,
): HealthProfile['by'] => (tool === undefined && grant === 'refresh' && rotation === 'none' ? 'refresh' : 'function')

/** A profile with everything that is usual left out. */
export type ProfileData = ProfileInput

/** With its defaults filled in, and not asked whether it could work. */
export const profile = (data: ProfileData): Profile => compileProfile(ProfileShape.parse(data))
