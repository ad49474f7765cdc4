j
locationexternal.pbj
offset0j
length4p