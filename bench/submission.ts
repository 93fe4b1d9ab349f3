/** Returns the body of a submission with different values and its own DOI for each `index`. */
export function submission(index: number, records: number): Buffer {
  const experimentData = Array.from({ length: records }, (_, i) => ({
    polymerProperty: { polymerComponents: [{ polymerName: 'PVA', molecularWeight: 89, molecularWeightUnit: 'kDa' }] },
    solventProperty: { solventComponents: [{ solventName: 'WATER', volumeRatio: 100, volumeRatioUnit: '%' }] },
    solutionProperty: { concentration: 8 + i / 1000, concentrationUnit: 'wt%', viscosity: 850, viscosityUnit: 'mPa.s' },
    needleProperty: { needleType: 'Single Needle', needleDefinition: { size: 22, unit: 'G' } },
    collectorProperty: { collectorType: 'Flat' },
    processParameter: {
      voltage: 12 + (index % 1_000) / 100,
      voltageUnit: 'kV',
      flowRate: 0.5,
      flowRateUnit: 'ml/h',
      tipCollectorDistance: 15,
      tipCollectorDistanceUnit: 'cm',
    },
    ambientParameter: { temperature: 23, temperatureUnit: '°C', humidity: 45, humidityUnit: '%' },
    fiberProperty: { isFormationStable: true, fiberDiameter: 100 + i, fiberDiameterUnit: 'nm' },
  }));
  const researchMetadata = { doi: `10.1000/bench.${index}`, publicationTitle: 'Fibers of a benchmark' };
  return Buffer.from(JSON.stringify({ researchMetadata, experimentData }));
}
