// /alerts and /notifications
import { Component as Coming } from './coming';

export const Component = Coming;
