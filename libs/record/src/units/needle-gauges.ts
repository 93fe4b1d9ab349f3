/** The diameters of one needle gauge; the inner one is nominal. */
export interface NeedleGauge {
  readonly gauge: number;
  readonly innerDiameterMm: number;
  readonly outerDiameterMm: number;
}

/**
 * Regular-wall hypodermic needles. Source: the common needle gauge comparison chart (Birmingham gauge, as manufacturers
 * such as Hamilton print it), inch values times 25.4, rounded to 0.001 mm; 32 to 34 from general knowledge. Thin-wall
 * needles have the same outer and a larger inner diameter. ISO 9626 gives ranges instead of one value.
 */
export const needleGauges: readonly NeedleGauge[] = [
  { gauge: 7, innerDiameterMm: 3.81, outerDiameterMm: 4.572 },
  { gauge: 8, innerDiameterMm: 3.429, outerDiameterMm: 4.191 },
  { gauge: 9, innerDiameterMm: 2.997, outerDiameterMm: 3.759 },
  { gauge: 10, innerDiameterMm: 2.692, outerDiameterMm: 3.404 },
  { gauge: 11, innerDiameterMm: 2.388, outerDiameterMm: 3.048 },
  { gauge: 12, innerDiameterMm: 2.159, outerDiameterMm: 2.769 },
  { gauge: 13, innerDiameterMm: 1.803, outerDiameterMm: 2.413 },
  { gauge: 14, innerDiameterMm: 1.6, outerDiameterMm: 2.108 },
  { gauge: 15, innerDiameterMm: 1.372, outerDiameterMm: 1.829 },
  { gauge: 16, innerDiameterMm: 1.194, outerDiameterMm: 1.651 },
  { gauge: 17, innerDiameterMm: 1.067, outerDiameterMm: 1.473 },
  { gauge: 18, innerDiameterMm: 0.838, outerDiameterMm: 1.27 },
  { gauge: 19, innerDiameterMm: 0.686, outerDiameterMm: 1.067 },
  { gauge: 20, innerDiameterMm: 0.603, outerDiameterMm: 0.908 },
  { gauge: 21, innerDiameterMm: 0.514, outerDiameterMm: 0.819 },
  { gauge: 22, innerDiameterMm: 0.413, outerDiameterMm: 0.718 },
  { gauge: 23, innerDiameterMm: 0.337, outerDiameterMm: 0.641 },
  { gauge: 24, innerDiameterMm: 0.311, outerDiameterMm: 0.565 },
  { gauge: 25, innerDiameterMm: 0.26, outerDiameterMm: 0.514 },
  { gauge: 26, innerDiameterMm: 0.26, outerDiameterMm: 0.464 },
  { gauge: 27, innerDiameterMm: 0.21, outerDiameterMm: 0.413 },
  { gauge: 28, innerDiameterMm: 0.184, outerDiameterMm: 0.362 },
  { gauge: 29, innerDiameterMm: 0.184, outerDiameterMm: 0.337 },
  { gauge: 30, innerDiameterMm: 0.159, outerDiameterMm: 0.311 },
  { gauge: 31, innerDiameterMm: 0.133, outerDiameterMm: 0.26 },
  { gauge: 32, innerDiameterMm: 0.108, outerDiameterMm: 0.235 },
  { gauge: 33, innerDiameterMm: 0.108, outerDiameterMm: 0.21 },
  { gauge: 34, innerDiameterMm: 0.083, outerDiameterMm: 0.184 },
];
