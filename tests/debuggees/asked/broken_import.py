import stats

rate = stats.first({})
