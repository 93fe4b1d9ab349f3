import { z } from 'zod';

const text = z.string().optional();
const number = z.number().optional();
const shape = z.object({
  recordId: z.int(),
  researchMetadata: z.object({ doi: text }).optional(),
  polymerProperty: z
    .object({ polymerComponents: z.array(z.object({ polymerName: z.string() })).optional() })
    .optional(),
  solventProperty: z
    .object({ solventComponents: z.array(z.object({ solventName: z.string() })).optional() })
    .optional(),
  needleProperty: z.object({ needleType: text }).optional(),
  collectorProperty: z.object({ collectorType: text }).optional(),
  processParameter: z
    .object({ voltage: number, voltageUnit: text, tipCollectorDistance: number, tipCollectorDistanceUnit: text })
    .optional(),
  fiberProperty: z
    .object({ isFormationStable: z.boolean().optional(), fiberDiameter: number, fiberDiameterUnit: text })
    .optional(),
});

const FACTORS: Readonly<Record<string, number>> = { kV: 1, cm: 1, nm: 1, µm: 1000 };

/** Converts a value to the unit of its filter. Throws for a unit that the demo does not use. */
function inUnit(value: number | undefined, unit: string): number | undefined {
  const factor = FACTORS[unit];
  if (factor === undefined) throw new Error(`unexpected unit ${unit}`);
  return value === undefined ? undefined : value * factor;
}

/** The values of a demo record that analyses use, computed without the code of the service. */
export function exploredRecord(record: unknown) {
  const { recordId, ...groups } = shape.parse(record);
  const { processParameter: process, fiberProperty: fiber } = groups;
  const present = (values: readonly (string | undefined)[]): string[] => [
    ...new Set(values.filter((value) => value !== undefined)),
  ];
  const stable = fiber?.isFormationStable;
  return {
    recordId,
    voltage: inUnit(process?.voltage, process?.voltageUnit ?? 'kV'),
    tipDist: inUnit(process?.tipCollectorDistance, process?.tipCollectorDistanceUnit ?? 'cm'),
    fiberDiameter: inUnit(fiber?.fiberDiameter, fiber?.fiberDiameterUnit ?? 'nm'),
    categories: {
      doi: present([
        // The DOI field of some demo records contains a URL.
        groups.researchMetadata?.doi?.replace(/^.*?(10\.\d+\/.*?)\.?$/, (_, doi: string) => doi.toLowerCase()),
      ]),
      polymer: present((groups.polymerProperty?.polymerComponents ?? []).map(({ polymerName }) => polymerName)),
      solvent: present((groups.solventProperty?.solventComponents ?? []).map(({ solventName }) => solventName)),
      needleType: present([groups.needleProperty?.needleType]),
      collectorType: present([groups.collectorProperty?.collectorType]),
      isFormationStable: present([stable === undefined ? undefined : stable ? 'yes' : 'no']),
    },
  };
}
